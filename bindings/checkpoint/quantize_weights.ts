/** Writes weights with matrices in 8 bits, in the convention of weights/quantization.ts, whatever they are written to. */

import { fail } from '../engine/errors.js';
import type { Plan } from './families/family.js';
import type { JsonObject } from './json/json_object.js';
import { channelsOfMatrix } from './matrix_names.js';
import type { RandomWrite } from './source/folder.js';
import { floatTypes, toFloats } from './weights/floats.js';
import { compressedTensors, scaleName } from './weights/quantization.js';
import {
  type Channels,
  findLargest,
  QuantizationError,
  quantize,
  scalesOf,
} from './weights/quantized_matrix.js';
import { readTensors, type TensorPiece } from './weights/read_tensors.js';
import { type TensorPlace, writeHeader } from './weights/safetensors_header.js';
import { elementBytes, type StoredTensor } from './weights/stored_tensor.js';
import { fileOf, type WeightFiles } from './weights/weight_file.js';

/** A tensor to write, and how. */
export interface QuantizedPart {
  readonly tensor: StoredTensor;
  /** `null`: unchanged. */
  readonly matrix: Matrix | null;
}

interface Matrix {
  readonly channels: Channels;
  readonly largest: Float32Array;
  readonly error: QuantizationError;
}

/**
 * The tensors that a model uses.
 *
 * @throws TransformerError `bad_checkpoint` for weights that are not floating-point numbers.
 */
export function partsOf(weights: WeightFiles, plan: Plan): QuantizedPart[] {
  const used = new Set(plan.slices.map(({ from }) => from));
  return weights.tensors
    .filter(({ name }) => used.has(name))
    .map((tensor) => {
      checkFloats(tensor, weights);
      const channels = channelsOfMatrix(tensor, plan);
      return { tensor, matrix: channels && newMatrix(channels) };
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

const newMatrix = (channels: Channels): Matrix => ({
  channels,
  largest: new Float32Array(channels.count),
  error: new QuantizationError(),
});

/** The quantization_config of config.json. */
export function quantizationConfigOf(parts: readonly QuantizedPart[]): JsonObject {
  const isTransposed = parts.some(({ matrix }) => matrix && matrix.channels.shape.at(-1) !== 1);
  // Linear layers and embeddings that are not quantised.
  const ignore = parts
    .filter(({ tensor: { name, shape }, matrix }) => !matrix && shape.length === 2 && /\.weight$/.test(name))
    .map(({ tensor: { name } }) => name.replace(/\.weight$/, ''));
  return compressedTensors(['Linear', 'Embedding', ...(isTransposed ? ['Conv1D'] : [])], ignore);
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
  const matrices = parts.filter(({ matrix }) => matrix !== null);
  await forEachPiece(weights, matrices, {
    ...reading,
    visit({ tensor, matrix }, { first, bytes }) {
      if (matrix) findLargest(matrix.largest, toFloats(bytes, tensor.dtype), first, matrix.channels);
    },
  });
  for (const { tensor, matrix } of matrices) {
    if (matrix?.largest.every(Number.isFinite)) continue;
    fail(
      'bad_checkpoint',
      `${fileOf(weights, tensor.name)}: the tensor '${tensor.name}' holds NaN or infinity`,
    );
  }
}

export interface Writing extends Reading {
  readonly write: RandomWrite;
}

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
 * Wide data types first, so that all are aligned; scales before everything else, so that the file can be read in one
 * pass. For parts that have been measured.
 */
function layoutOf(parts: readonly QuantizedPart[]): Layout {
  const kept = parts.filter(({ matrix }) => matrix === null);
  const places: TensorPlace[] = [
    ...parts.flatMap(({ tensor: { name }, matrix }) =>
      matrix ? [{ name: scaleName(name), dtype: 'F32', shape: matrix.channels.shape }] : [],
    ),
    ...kept.map(({ tensor }) => tensor).sort((a, b) => elementBytes(b) - elementBytes(a)),
    ...parts.flatMap(({ tensor: { name, shape }, matrix }) => (matrix ? [{ name, dtype: 'I8', shape }] : [])),
  ];
  const scales = new Map(
    parts.flatMap(({ tensor, matrix }) => (matrix ? [[tensor.name, scalesOf(matrix.largest)] as const] : [])),
  );
  return { scales, ...writeHeader(places) };
}

/**
 * Writes scales, unchanged tensors and integers as a safetensors file: the second pass, over parts that have been
 * measured.
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
  await forEachPiece(weights, parts, {
    ...reading,
    async visit({ tensor, matrix }, { first, bytes }) {
      const { name, dtype } = tensor;
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
