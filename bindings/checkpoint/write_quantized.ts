/** Writes weights with matrices in integers, whatever they are written to. */

import type { QuantizedDtype } from '../engine/dtype.js';
import type { Host } from '../engine/host.js';
import type { RandomWrite } from '../files/folder.js';
import { fail } from '../values/errors.js';
import { integerLayouts, transposed } from '../weights/integer_layouts.js';
import { readTensors, type TensorPiece } from '../weights/read_tensors.js';
import { writeHeader } from '../weights/safetensors_header.js';
import type { WrittenType } from '../weights/slice_writer.js';
import { elementBytes, type StoredTensor } from '../weights/stored_tensor.js';
import type { WeightFiles } from '../weights/weight_file.js';
import type { MatrixToQuantize, Quantization } from './plan_quantization.js';
import { WholeRows } from './whole_rows.js';

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
 * Writes scales, unchanged tensors and integers as a safetensors file, in one pass over the weights. Only a piece of
 * them is in memory, or a whole matrix if it is stored as [in, out].
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
  readonly #matrix: MatrixToQuantize;
  readonly #rows: WholeRows;
  #done = 0;

  constructor(host: Host, dtype: QuantizedDtype, tensor: StoredTensor, matrix: MatrixToQuantize) {
    this.#host = host;
    this.#dtype = dtype;
    this.#tensor = tensor;
    this.#matrix = matrix;
    const { inputs, outputs } = matrix.laidOut;
    const rowBytes = inputs * elementBytes(tensor);
    this.#rows = new WholeRows(matrix.isTransposed ? rowBytes * outputs : rowBytes);
  }

  /** The bytes to write, with their places. */
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
