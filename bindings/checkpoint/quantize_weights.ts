/** Writes weights with matrices in 8 or 4 bits, in the convention of weights/quantization.ts, whatever they are written to. */

import type { RandomWrite } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import type { Plan } from '../plans/family.js';
import { fail } from '../values/errors.js';
import { elements } from '../values/tensor.js';
import { floatTypes, toFloats } from '../weights/floats.js';
import { packedShapes, packGroups } from '../weights/groups_of_4_bits.js';
import { compressedTensors, scaleName } from '../weights/quantization.js';
import {
  type Channels,
  findLargest,
  QuantizationError,
  quantize,
  scalesOf,
} from '../weights/quantized_matrix.js';
import { readTensors, type TensorPiece } from '../weights/read_tensors.js';
import { type TensorPlace, writeHeader } from '../weights/safetensors_header.js';
import { elementBytes, type StoredTensor } from '../weights/stored_tensor.js';
import { fileOf, type WeightFiles } from '../weights/weight_file.js';
import { channelsOfMatrix } from './matrix_names.js';

/** A tensor to write, and how. */
export interface QuantizedPart {
  readonly tensor: StoredTensor;
  /** `null`: unchanged. */
  readonly matrix: Matrix | null;
}

interface Matrix {
  readonly channels: Channels;
  /** In groups of 4 bits, not by channel in 8. */
  readonly isPacked: boolean;
  readonly largest: Float32Array;
  readonly error: QuantizationError;
}

export type QuantizedDtype = 'int8' | 'int4';

/**
 * The tensors that a model uses.
 *
 * @throws TransformerError `bad_checkpoint` for weights that are not floating-point numbers.
 */
export function partsOf(weights: WeightFiles, plan: Plan, dtype: QuantizedDtype = 'int8'): QuantizedPart[] {
  const used = new Set(plan.slices.map(({ from }) => from));
  return weights.tensors
    .filter(({ name }) => used.has(name))
    .map((tensor) => {
      checkFloats(tensor, weights);
      const channels = channelsOfMatrix(tensor, plan);
      const isPacked = dtype === 'int4' && channels !== null && isFor4Bits(tensor, plan);
      // What does not fill words of eight integers stays as it is.
      const isKept = isPacked && inputsOf(tensor, channels) % 8 !== 0;
      return { tensor, matrix: channels && !isKept ? newMatrix(channels, isPacked) : null };
    });
}

function checkFloats(tensor: StoredTensor, weights: WeightFiles): void {
  const { name, dtype } = tensor;
  if (floatTypes.includes(dtype)) return;
  const file = fileOf(weights, name);
  fail(
    'bad_checkpoint',
    `${file}: the tensor '${name}' is stored as ${dtype}; weights are ${floatTypes.join(', ')}`,
  );
}

/** Everything but embeddings, as in the engine. */
const isFor4Bits = ({ name }: StoredTensor, { slices }: Plan) =>
  !slices.some((slice) => slice.from === name && /(^|\.)embedding\.weight$/.test(slice.name));

const inputsOf = ({ shape }: StoredTensor, { axis }: Channels) => shape[1 - axis] ?? 0;

const newMatrix = (channels: Channels, isPacked: boolean): Matrix => ({
  channels,
  isPacked,
  largest: new Float32Array(channels.count),
  error: new QuantizationError(),
});

/** The quantization_config of config.json. */
export function quantizationConfigOf(
  parts: readonly QuantizedPart[],
  dtype: QuantizedDtype = 'int8',
): JsonObject {
  const isTransposed = parts.some(({ matrix }) => matrix?.channels.axis === 1);
  // Linear layers and embeddings that are not quantised.
  const ignore = parts
    .filter(({ tensor: { name, shape }, matrix }) => !matrix && shape.length === 2 && /\.weight$/.test(name))
    .map(({ tensor: { name } }) => name.replace(/\.weight$/, ''));
  const linear = ['Linear', ...(isTransposed ? ['Conv1D'] : [])];
  return dtype === 'int4'
    ? compressedTensors({ in8Bits: ['Embedding'], in4Bits: linear }, ignore)
    : compressedTensors({ in8Bits: [...linear, 'Embedding'], in4Bits: [] }, ignore);
}

export interface Reading {
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes that have been read, of all files. */
  readonly onBytes?: (bytes: number, file: string) => void;
}

/** Reads the tensors of some parts, by their names: the files may have been opened a second time. */
async function forEachPiece(
  weights: WeightFiles,
  parts: readonly QuantizedPart[],
  { signal, onBytes, visit }: Reading & Visitor,
): Promise<void> {
  const byName = new Map(parts.map((part) => [part.tensor.name, part]));
  let before = 0;
  for (const file of weights.files) {
    for await (const piece of readTensors(file, ({ name }) => byName.has(name))) {
      signal?.throwIfAborted();
      const part = byName.get(piece.tensor.name);
      if (part) await visit(part, piece);
      onBytes?.(before + piece.position, file.name);
    }
    before += file.size ?? 0;
    onBytes?.(before, file.name);
  }
}

interface Visitor {
  visit(part: QuantizedPart, piece: TensorPiece): void | Promise<void>;
}

/**
 * Finds the largest magnitude in each channel: the first of two passes.
 *
 * @throws TransformerError `bad_checkpoint` for weights that are not finite; the signal's reason.
 */
export async function measure(
  weights: WeightFiles,
  parts: readonly QuantizedPart[],
  reading: Reading,
): Promise<void> {
  // The scales of groups need no more than the numbers of the group.
  const matrices = parts.filter(({ matrix }) => matrix && !matrix.isPacked);
  await forEachPiece(weights, matrices, {
    ...reading,
    visit({ tensor, matrix }, { first, bytes }) {
      if (matrix) findLargest(matrix.largest, toFloats(bytes, tensor.dtype), first, matrix.channels);
    },
  });
  for (const { tensor, matrix } of matrices) {
    if (matrix) checkFinite(matrix.largest, tensor, weights);
  }
}

function checkFinite(numbers: Float32Array, { name }: StoredTensor, weights: WeightFiles): void {
  if (numbers.every(Number.isFinite)) return;
  fail('bad_checkpoint', `${fileOf(weights, name)}: the tensor '${name}' holds NaN or infinity`);
}

export interface Writing extends Reading {
  readonly write: RandomWrite;
}

const shapesOf = ({ shape }: StoredTensor, { channels: { axis } }: Matrix) => packedShapes(shape, axis);

/** Scales, and the place of each tensor in the file to be written. */
interface Layout {
  readonly scales: ReadonlyMap<string, Float32Array>;
  readonly header: Uint8Array;
  readonly begins: ReadonlyMap<string, number>;
  /** The size of the file. */
  readonly end: number;
}

/** The size of the file that {@link writeQuantized} writes. */
export const quantizedSize = (parts: readonly QuantizedPart[]) => layoutOf(parts).end;

/**
 * Wide data types first, so that all are aligned (but not behind an odd number of scales of groups); scales before everything else, so that the file can be read in one
 * pass. For parts that have been measured.
 */
function layoutOf(parts: readonly QuantizedPart[]): Layout {
  const kept = parts.filter(({ matrix }) => matrix === null);
  const packed = parts.flatMap(({ tensor, matrix }) => (matrix?.isPacked ? [{ tensor, matrix }] : []));
  const bytes = parts.flatMap(({ tensor, matrix }) =>
    matrix && !matrix.isPacked ? [{ tensor, matrix }] : [],
  );
  const shapes = new Map(packed.map(({ tensor, matrix }) => [tensor.name, shapesOf(tensor, matrix)]));
  const places: TensorPlace[] = [
    ...[...shapes.keys()].map((name) => ({ name: `${name}_shape`, dtype: 'I64', shape: [2] })),
    ...bytes.map(({ tensor: { name }, matrix }) => {
      return { name: scaleName(name), dtype: 'F32', shape: matrix.channels.shape };
    }),
    ...kept.map(({ tensor }) => tensor).sort((a, b) => elementBytes(b) - elementBytes(a)),
    // Each matrix follows its scales, so that a reader holds one at a time.
    ...[...shapes].flatMap(([name, own]) => [
      { name: scaleName(name), dtype: 'BF16', shape: own.scales },
      { name: `${name}_packed`, dtype: 'I32', shape: own.words },
    ]),
    ...bytes.map(({ tensor: { name, shape } }) => ({ name, dtype: 'I8', shape })),
  ];
  const scales = new Map(bytes.map(({ tensor, matrix }) => [tensor.name, scalesOf(matrix.largest)]));
  return { scales, ...writeHeader(places) };
}

/**
 * Writes scales, unchanged tensors and integers as a safetensors file: the second pass, over parts that have been
 * measured. A matrix in 4 bits is in memory as a whole.
 *
 * @throws TransformerError; the signal's reason.
 */
export async function writeQuantized(
  weights: WeightFiles,
  parts: readonly QuantizedPart[],
  { write, ...reading }: Writing,
): Promise<number> {
  const { scales, header, begins, end } = layoutOf(parts);
  const begin = (name: string) => begins.get(name) ?? fail('internal', `no place for '${name}'`);
  await write(header, 0);
  for (const [name, values] of scales) await write(new Uint8Array(values.buffer), begin(scaleName(name)));
  let whole = new Float32Array();
  await forEachPiece(weights, parts, {
    ...reading,
    async visit({ tensor, matrix }, { first, isLast, bytes }) {
      const { name, dtype } = tensor;
      if (matrix?.isPacked) {
        if (first === 0) whole = new Float32Array(elements(tensor.shape));
        whole.set(toFloats(bytes, dtype), first);
        if (!isLast) return;
        checkFinite(whole, tensor, weights);
        const [rows = 0, cols = 0] = tensor.shape;
        const { axis } = matrix.channels;
        const packed = packGroups(whole, [rows, cols], { axis, error: matrix.error });
        const shape = BigInt64Array.of(BigInt(rows), BigInt(cols));
        await write(new Uint8Array(shape.buffer), begin(`${name}_shape`));
        await write(new Uint8Array(packed.scales.buffer), begin(scaleName(name)));
        await write(new Uint8Array(packed.words.buffer), begin(`${name}_packed`));
        return;
      }
      const size = matrix ? 1 : elementBytes(tensor);
      await write(matrix ? integersOf(matrix) : bytes, begin(name) + first * size);

      function integersOf({ channels, error }: Matrix): Uint8Array {
        const floats = toFloats(bytes, dtype);
        const integers = new Int8Array(floats.length);
        quantize(floats, first, channels, { scales: scales.get(name) as Float32Array, integers, error });
        return new Uint8Array(integers.buffer);
      }
    },
  });
  return end;
}
