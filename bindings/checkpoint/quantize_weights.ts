/** Writes weights with matrices in integers, laid out by weights/integer_layouts.ts, whatever they are written to. */

import type { QuantizedDtype } from '../engine/dtype.js';
import type { Host } from '../engine/host.js';
import type { RandomWrite } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import type { QuantizationError } from '../modules/embind.js';
import type { Plan } from '../plans/family.js';
import { fail } from '../values/errors.js';
import { floatTypes } from '../weights/floats.js';
import { compressedTensors, integerLayouts, LaidOutMatrix, transposed } from '../weights/integer_layouts.js';
import { readTensors, type TensorPiece } from '../weights/read_tensors.js';
import { writeHeader } from '../weights/safetensors_header.js';
import type { WrittenType } from '../weights/slice_writer.js';
import { type MatrixPurpose, purposeOf, type Slice } from '../weights/slices.js';
import { elementBytes, type StoredTensor } from '../weights/stored_tensor.js';
import { fileOf, type WeightFiles } from '../weights/weight_file.js';
import { WholeRows } from './whole_rows.js';

/** A tensor to write, and how. */
export interface QuantizedPart {
  readonly tensor: StoredTensor;
  /** `null`: unchanged. */
  readonly matrix: QuantizedMatrix | null;
}

interface QuantizedMatrix {
  readonly purpose: MatrixPurpose;
  /** Whether it is stored as [in, out]. */
  readonly isTransposed: boolean;
  readonly laidOut: LaidOutMatrix;
  error: QuantizationError;
}

/** The parts of a checkpoint that a model uses, and what describes them in config.json. */
export interface Quantization {
  readonly dtype: QuantizedDtype;
  readonly parts: readonly QuantizedPart[];
  readonly config: JsonObject;
}

/** @throws TransformerError `bad_checkpoint` for weights that are not floating-point numbers. */
export async function planQuantization(
  weights: WeightFiles,
  plan: Plan,
  { host, dtype }: { host: Host; dtype: QuantizedDtype },
): Promise<Quantization> {
  const slices = new Map<string, Slice[]>();
  for (const slice of plan.slices) slices.set(slice.from, [...(slices.get(slice.from) ?? []), slice]);
  const keptAs = new Map<MatrixPurpose, QuantizedDtype>();
  for (const purpose of ['factor', 'embedding'] as const)
    keptAs.set(purpose, (await host.call('dtypeOf', dtype, purpose)) as QuantizedDtype);
  const parts = weights.tensors.flatMap((tensor) => {
    const own = slices.get(tensor.name);
    if (!own) return [];
    checkFloats(tensor, weights);
    const kept = keptAs.get(purposeOfAll(own));
    return [{ tensor, matrix: kept === undefined ? null : matrixOf(tensor, own, kept) }];
  });
  return { dtype, parts, config: configOf(parts, keptAs) };
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

/** An embedding is one wherever else it is used. */
const purposeOfAll = (slices: readonly Slice[]): MatrixPurpose =>
  slices.map(purposeOf).find((purpose) => purpose !== 'factor') ?? 'factor';

/** `null` for a tensor that is not a matrix as a whole, or does not fill the words of its layout. */
function matrixOf(
  { name, shape }: StoredTensor,
  slices: readonly Slice[],
  dtype: QuantizedDtype,
): QuantizedMatrix | null {
  if (shape.length !== 2 || slices.some((slice) => slice.shape.length !== 2)) return null;
  const isTransposed = slices.every(areRowsColumns);
  const laidOut = new LaidOutMatrix(integerLayouts[dtype], name, shape, isTransposed ? 1 : 0);
  if (!laidOut.fits) return null;
  const error = { largest: 0, squares: 0, ofSquares: 0 };
  return { purpose: purposeOfAll(slices), isTransposed, laidOut, error };
}

/** Whether the engine's rows, which are its outputs, are columns in the file. */
function areRowsColumns({ view }: Slice): boolean {
  return view !== undefined && view.strides.at(-1) !== 1;
}

/** The quantization_config of config.json. */
function configOf(
  parts: readonly QuantizedPart[],
  keptAs: ReadonlyMap<MatrixPurpose, QuantizedDtype>,
): JsonObject {
  const hasTransposed = parts.some(({ matrix }) => matrix?.isTransposed);
  const classes = {
    factor: ['Linear', ...(hasTransposed ? ['Conv1D'] : [])],
    embedding: ['Embedding'],
    table: [],
  };
  const targets = new Map<QuantizedDtype, string[]>();
  for (const [purpose, dtype] of keptAs)
    targets.set(dtype, [...(targets.get(dtype) ?? []), ...classes[purpose]]);
  // Linear layers and embeddings that are not quantised.
  const ignore = parts
    .filter(({ tensor: { name, shape }, matrix }) => !matrix && shape.length === 2 && /\.weight$/.test(name))
    .map(({ tensor: { name } }) => name.replace(/\.weight$/, ''));
  return compressedTensors(targets, ignore);
}

/** The place of each tensor in the file to be written. Wide data types first, so that all are aligned. */
function layOut({ parts }: Quantization): ReturnType<typeof writeHeader> {
  const layouts = Object.values(integerLayouts);
  const matrices = parts
    .flatMap(({ matrix }) => (matrix ? [matrix.laidOut] : []))
    .sort((a, b) => layouts.indexOf(a.layout) - layouts.indexOf(b.layout))
    .map((matrix) => matrix.places());
  const kept = parts.flatMap(({ tensor, matrix }) => (matrix ? [] : [tensor]));
  return writeHeader([
    ...matrices.flatMap(({ front }) => front),
    ...kept.sort((a, b) => elementBytes(b) - elementBytes(a)),
    ...matrices.flatMap(({ back }) => back),
  ]);
}

/** The size of the file that {@link writeQuantized} writes. */
export const quantizedSize = (quantization: Quantization) => layOut(quantization).end;

export interface Writing {
  readonly host: Host;
  readonly write: RandomWrite;
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes that have been read, of all files. */
  readonly onBytes?: (bytes: number, file: string) => void;
}

/**
 * Writes scales, unchanged tensors and integers as a safetensors file, in one pass over the weights. Only a piece of them is in
 * memory, or a whole matrix if it is stored as [in, out].
 *
 * @throws TransformerError `bad_checkpoint` for weights that are not finite; the signal's reason.
 */
export async function writeQuantized(
  weights: WeightFiles,
  quantization: Quantization,
  { host, write, signal, onBytes }: Writing,
): Promise<number> {
  const { header, begins, end } = layOut(quantization);
  const begin = (name: string) => begins.get(name) ?? fail('internal', `no place for '${name}'`);
  const byName = new Map(quantization.parts.map((part) => [part.tensor.name, part]));
  await write(header, 0);
  let rows: RowQuantizer | null = null;
  let before = 0;
  for (const file of weights.files) {
    for await (const piece of readTensors(file, ({ name }) => byName.has(name))) {
      signal?.throwIfAborted();
      const part = byName.get(piece.tensor.name);
      if (part?.matrix) {
        if (piece.first === 0) rows = new RowQuantizer(host, quantization.dtype, part.tensor, part.matrix);
        for await (const [name, bytes, at] of rows?.take(piece, file.name) ?? [])
          await write(bytes, begin(name) + at);
      } else if (part) {
        await write(piece.bytes, begin(part.tensor.name) + piece.first * elementBytes(part.tensor));
      }
      onBytes?.(before + piece.position, file.name);
    }
    before += file.size ?? 0;
    onBytes?.(before, file.name);
  }
  return end;
}

/** Has the engine quantise the rows of one matrix. */
class RowQuantizer {
  readonly #host: Host;
  readonly #dtype: QuantizedDtype;
  readonly #tensor: StoredTensor;
  readonly #matrix: QuantizedMatrix;
  readonly #rows: WholeRows;
  #done = 0;

  constructor(host: Host, dtype: QuantizedDtype, tensor: StoredTensor, matrix: QuantizedMatrix) {
    this.#host = host;
    this.#dtype = dtype;
    this.#tensor = tensor;
    this.#matrix = matrix;
    const { inputs, outputs } = matrix.laidOut;
    const rowBytes = inputs * elementBytes(tensor);
    this.#rows = new WholeRows(matrix.isTransposed ? rowBytes * outputs : rowBytes);
  }

  /** What is to be written. */
  async *take({ bytes }: TensorPiece, file: string): AsyncGenerator<readonly [string, Uint8Array, number]> {
    const { laidOut, isTransposed, purpose, error } = this.#matrix;
    const { name, dtype } = this.#tensor;
    const { inputs, outputs } = laidOut;
    const size = elementBytes(this.#tensor);
    for (const whole of this.#rows.take(bytes)) {
      const rows = isTransposed ? transposed(whole, [inputs, outputs], size) : whole;
      const quantized = await this.#host.call('quantizeRows', rows, {
        stored: dtype as WrittenType,
        columns: inputs,
        dtype: this.#dtype,
        purpose,
      });
      if (!quantized.finite) fail('bad_checkpoint', `${file}: the tensor '${name}' holds NaN or infinity`);
      error.largest = Math.max(error.largest, quantized.error.largest);
      error.squares += quantized.error.squares;
      error.ofSquares += quantized.error.ofSquares;
      yield* laidOut.bytesOf(this.#done, quantized);
      this.#done += rows.length / size / inputs;
    }
  }
}
