/** One matrix of 4-bit weights: its tensors are found, and their shapes checked. */

import type { PackedLayout } from '../modules/embind.js';
import { fail } from '../values/errors.js';
import { floatTypes } from './floats.js';
import type { Layout, Part } from './packed_layouts.js';
import type { WrittenType } from './slice_writer.js';
import type { StoredTensor } from './stored_tensor.js';

interface Finding {
  readonly layout: Layout;
  readonly parts: ReadonlyMap<Part, StoredTensor>;
  /** Whether the whole matrix is [in, out]; GPTQ and AWQ store its parts as those of any other. */
  readonly isInputsFirst: boolean;
  readonly file: string;
}

/**
 * The matrix as one tensor of float32, whose numbers the engine puts together.
 *
 * @throws TransformerError `bad_checkpoint` for parts that are missing or do not fit together.
 */
export function findMatrix(name: string, finding: Finding): StoredTensor {
  const { layout, parts } = finding;
  const tensors = new Tensors(name, finding);
  const { inputs, outputs, isTransposed, inputsFirst, groups } = sizesOf(tensors, finding);
  checkShapes(tensors, { inputs, outputs, groups }, layout);
  const nameOf = (part: Part) => parts.get(part)?.name ?? '';
  const shape = inputsFirst ? [inputs, outputs] : [outputs, inputs];
  const { kind, groupSize } = layout;
  const packed: PackedLayout = {
    ...{ kind, inputs, outputs, inputsFirst, transposed: isTransposed },
    groupSize: groupSize ?? inputs,
    scaleType: tensors.required('scales').dtype as WrittenType, // one of floatTypes
    integers: nameOf('integers'),
    scales: nameOf('scales'),
    zeros: hasZeros(layout) ? nameOf('zeros') : '',
    order: nameOf('order'),
    shape: nameOf('shape'),
  };
  return {
    ...{ name, dtype: 'F32', shape, storage: { begin: 0, bytes: 0 }, offset: 0, strides: null },
    packed: { layout: packed, parts: [...parts.values()] },
  };
}

const isShape = (shape: readonly number[], ...expected: number[]) => shape.join() === expected.join();

/** The tensors of a matrix, each required and checked when it is first used. */
class Tensors {
  readonly #name: string;
  readonly #parts: ReadonlyMap<Part, StoredTensor>;
  readonly #file: string;

  constructor(name: string, { parts, file }: Finding) {
    this.#name = name;
    this.#parts = parts;
    this.#file = file;
  }

  has(part: Part): boolean {
    return this.#parts.has(part);
  }

  wrong(part: Part, what: string): never {
    const name = this.#parts.get(part)?.name ?? `${this.#name}: ${part}`;
    return fail('bad_checkpoint', `${this.#file}: the tensor '${name}' ${what}`);
  }

  required(part: Part): StoredTensor {
    const found = this.#parts.get(part);
    return (
      found ?? fail('bad_checkpoint', `${this.#file}: the matrix '${this.#name}' in 4 bits has no ${part}`)
    );
  }

  shapeOf(part: Part, types: readonly string[], axes: number): readonly number[] {
    const { dtype, shape } = this.required(part);
    if (!types.includes(dtype)) this.wrong(part, `is stored as ${dtype}, expected ${types.join(' or ')}`);
    if (shape.length !== axes || shape.some((size) => size === 0))
      this.wrong(part, `has the shape [${shape}]`);
    return shape;
  }
}

interface Sizes {
  readonly inputs: number;
  readonly outputs: number;
  /** Of inputs, each with a scale. */
  readonly groups: number;
  /** Whether the tensors have inputs before outputs. */
  readonly isTransposed: boolean;
  /** Whether the whole matrix does, too. */
  readonly inputsFirst: boolean;
}

/** From the shapes of integers and scales, which have to agree. */
function sizesOf(tensors: Tensors, { layout, isInputsFirst }: Finding): Sizes {
  const { kind, groupSize } = layout;
  const [rows = 0, cols = 0] = tensors.shapeOf('integers', ['I32', 'U32'], 2);
  const scaleShape = tensors.shapeOf('scales', floatTypes, 2);
  const groupsOf = (inputs: number) => (groupSize === null ? 1 : Math.ceil(inputs / groupSize));
  const isOurs = kind === 'compressed' && !isShape(scaleShape, rows, groupsOf(8 * cols));
  const isTransposed = kind !== 'compressed' || isOurs;
  const packedRows = kind === 'awq' ? [rows, 8 * cols] : [8 * rows, cols];
  const [inputs = 0, outputs = 0] = isTransposed ? packedRows : [8 * cols, rows];
  const groups = groupsOf(inputs);
  const expected = isTransposed ? [groups, outputs] : [outputs, groups];
  if (!isShape(scaleShape, ...expected))
    tensors.wrong(
      'scales',
      `has the shape [${scaleShape}], expected [${expected}] for integers of [${[rows, cols]}]`,
    );
  const inputsFirst = isOurs || (isInputsFirst && kind !== 'compressed');
  return { inputs, outputs, groups, isTransposed, inputsFirst };
}

const hasZeros = ({ isSymmetric, kind }: Layout) => !isSymmetric || kind !== 'compressed';

/** Those of the parts that do not decide the sizes. */
function checkShapes(
  tensors: Tensors,
  { inputs, outputs, groups }: Pick<Sizes, 'inputs' | 'outputs' | 'groups'>,
  layout: Layout,
): void {
  if (hasZeros(layout)) {
    const shape = tensors.shapeOf('zeros', ['I32', 'U32'], 2);
    const packed = Math.ceil(outputs / 8);
    const expected = layout.kind === 'compressed' ? [packed, groups] : [groups, packed];
    if (!isShape(shape, ...expected))
      tensors.wrong('zeros', `has the shape [${shape}], expected [${expected}]`);
  }
  if (tensors.has('order') && !isShape(tensors.shapeOf('order', ['I32', 'I64'], 1), inputs))
    tensors.wrong('order', `must have the shape [${inputs}]`);
  if (tensors.has('shape') && !isShape(tensors.shapeOf('shape', ['I32', 'I64'], 1), 2))
    tensors.wrong('shape', 'must have the shape [2]');
}
