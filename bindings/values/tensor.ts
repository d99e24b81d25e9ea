/** Tensors: numbers in one flat array (row-major), and the length of each axis. */

import { cross } from './border.js';
import { describe, isArray, isTyped } from './describe.js';
import { fail } from './errors.js';

export { describe, isArray } from './describe.js';

/** Nested arrays of numbers, of equal length on each level. */
export type NestedArray = number | readonly NestedArray[] | ArrayLike<number>;

/** Accepted wherever a tensor is expected: a `Tensor`, a plain `{ data, shape }`, or nested arrays. */
export type TensorLike =
  | {
      readonly data: ArrayLike<number> | ArrayLike<bigint> | readonly boolean[];
      readonly shape: readonly number[];
    }
  | readonly NestedArray[]
  | ArrayLike<number>;

/** A float tensor in the form that crosses into the engine. */
export interface TensorData {
  readonly data: Float32Array;
  readonly shape: number[];
}

/** A tensor that owns its numbers. */
export class Tensor implements TensorData {
  readonly data: Float32Array;
  readonly shape: number[];

  /**
   * @param data the numbers in row-major order; a Float32Array is kept, anything else is copied
   * @param shape the length of each axis; their product must equal the number of elements
   * @throws TransformerError `invalid_argument`
   */
  constructor(data: Float32Array | ArrayLike<number>, shape: readonly number[]) {
    const read = cross('data shape', [data, shape], (data, shape) => toTensor({ data, shape }, 'the tensor'));
    this.data = read.data;
    this.shape = read.shape;
  }

  /**
   * Creates a tensor from nested arrays: `Tensor.from([[1, 2], [3, 4]])` has the shape [2, 2].
   * @throws TransformerError `invalid_argument` if they are ragged or contain anything but numbers
   */
  static from(nested: NestedArray | TensorLike): Tensor {
    return cross('array', [nested], (given) => {
      const { data, shape } =
        typeof given === 'number' ? { data: [given], shape: [] } : toTensor(given, 'the array');
      return new Tensor(data, shape);
    });
  }

  /** The numbers as nested arrays, one level per axis; a plain number for a tensor without axes. */
  tolist(): NestedArray {
    const nest = (axis: number, offset: number, size: number): NestedArray => {
      if (axis === this.shape.length) return this.data[offset] ?? 0;
      const length = this.shape[axis] ?? 0;
      const inner = length === 0 ? 0 : size / length;
      return Array.from({ length }, (_, i) => nest(axis + 1, offset + i * inner, inner));
    };
    return nest(0, 0, this.data.length);
  }
}

/** The number of elements of a tensor of this shape. */
export const elements = (shape: readonly number[]): number =>
  shape.reduce((product, size) => product * size, 1);

/** All numbers of several arrays, one after the other. */
export function concatenated(parts: readonly Float32Array[]): Float32Array;
export function concatenated(parts: readonly Uint8Array[], kind: typeof Uint8Array): Uint8Array<ArrayBuffer>;
export function concatenated(
  parts: readonly (Float32Array | Uint8Array)[],
  kind: typeof Float32Array | typeof Uint8Array = Float32Array,
): Float32Array | Uint8Array {
  const joined = new kind(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Wraps a result from the engine in a `Tensor`. */
export const asTensor = ({ data, shape }: TensorData): Tensor => new Tensor(data, shape);

/** Reads anything that represents a float tensor; errors call it `name`. Float32Arrays are not copied. */
export function toTensor(value: unknown, name: string): TensorData {
  const { data, shape } = readArray(value, name);
  return { data: data instanceof Float32Array ? data : Float32Array.from(data, Number), shape };
}

/** Reads a tensor of token ids: 32-bit integers. */
export function toIds(value: unknown, name: string): { data: Int32Array; shape: number[] } {
  const { data, shape } = readArray(value, name);
  if (data instanceof Int32Array) return { data, shape };
  const ids = Int32Array.from(data, (id, i) => {
    const number = Number(id);
    if (!Number.isInteger(number) || number !== (number | 0))
      fail('invalid_argument', `${name} must hold token ids, integers, but element ${i} is ${id}`);
    return number;
  });
  return { data: ids, shape };
}

/** Any kind of JavaScript array of numbers, and its shape. */
interface AnyArray {
  readonly data: ArrayLike<number | bigint | boolean>;
  readonly shape: number[];
}

export function readArray(value: unknown, name: string): AnyArray {
  if (isArray(value)) return flatten(value, name);
  if (typeof value !== 'object' || value === null || !('data' in value) || !('shape' in value))
    fail(
      'invalid_argument',
      `${name} must be a tensor ({ data, shape } or nested arrays), got ${describe(value)}`,
    );
  const shape = readShape(value.shape, name);
  if (!isArray(value.data))
    fail('invalid_argument', `the data of ${name} must be an array of numbers, got ${describe(value.data)}`);
  const expected = elements(shape);
  if (value.data.length !== expected)
    fail(
      'invalid_argument',
      `the shape [${shape.join(', ')}] of ${name} needs ${expected} numbers, but there are ${value.data.length}`,
    );
  return { data: isTyped(value.data) ? value.data : checkNumbers(value.data, name), shape };
}

/** Whether the engine can take a value as a size, an index or an id: it would wrap a greater one. */
export const isIndex = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31;

function readShape(value: unknown, name: string): number[] {
  if (!isArray(value))
    fail('invalid_argument', `the shape of ${name} must be an array of integers, got ${describe(value)}`);
  return Array.from(value, (size) => {
    if (!isIndex(size))
      fail(
        'invalid_argument',
        `the shape of ${name} must hold integers from 0 to 2^31 - 1, got ${describe(size)}`,
      );
    return size;
  });
}

/** Deeper nesting is an array that contains itself. */
const maxNesting = 64;

/** Flattens nested arrays. The first elements determine the shape that all others must match. */
function flatten(nested: ArrayLike<unknown>, name: string): AnyArray {
  if (isTyped(nested)) return { data: nested, shape: [nested.length] };
  const shape: number[] = [];
  for (let level: unknown = nested; isArray(level); level = level[0]) {
    if (shape.length === maxNesting)
      fail('invalid_argument', `${name} is nested more than ${maxNesting} levels deep`);
    shape.push(level.length);
  }
  const data: (number | bigint | boolean)[] = [];
  const walk = (level: unknown, axis: number, where: string): void => {
    if (axis === shape.length) {
      data.push(checkNumber(level, where));
      return;
    }
    if (!isArray(level) || level.length !== shape[axis]) {
      const found = isArray(level) ? `an array of ${level.length}` : describe(level);
      fail(
        'invalid_argument',
        `${name} is ragged: ${where} should be an array of ${shape[axis]}, like those before it, but is ${found}`,
      );
    }
    for (let i = 0; i < level.length; i++) walk(level[i], axis + 1, `${where}[${i}]`);
  };
  walk(nested, 0, name);
  return { data, shape };
}

function checkNumbers(data: ArrayLike<unknown>, name: string): (number | bigint | boolean)[] {
  return Array.from(data, (value, i) => checkNumber(value, `element ${i} of ${name}`));
}

function checkNumber(value: unknown, where: string): number | bigint | boolean {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return value;
  return fail('invalid_argument', `${where} should be a number, but is ${describe(value)}`);
}
