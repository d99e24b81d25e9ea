/** Streams tensors from files into the engine piece by piece, so that the weights never exist twice. */

import type { Handle, Host } from '../engine/host.js';
import { fail } from '../values/errors.js';
import { floatTypes } from './floats.js';
import { readTensors } from './read_tensors.js';
import { readScales } from './scales.js';
import { SliceWriter, type WrittenTensor, type WrittenType } from './slice_writer.js';
import type { Slice } from './slices.js';
import type { StoredTensor } from './stored_tensor.js';
import type { WeightFile, WeightFiles } from './weight_file.js';

export interface WeightTarget {
  readonly host: Host;
  readonly weights: Handle<'Weights'>;
  /** Whether matrices may be stored as integers with scales. */
  readonly isQuantized: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with the current file's name and the number of bytes read from all files so far. */
  readonly onBytes?: (file: WeightFile, loaded: number) => void;
}

/**
 * Reads the files, and declares and fills every slice of their tensors. Tensors without slices are skipped.
 *
 * @returns the total number of bytes
 * @throws TransformerError `bad_checkpoint`, naming file and tensor; the signal's reason.
 */
export async function loadWeights(
  weightFiles: WeightFiles,
  slices: readonly Slice[],
  { host, weights, isQuantized, signal, onBytes }: WeightTarget,
): Promise<number> {
  const writer = new SliceWriter(host, weights, slices);
  let before = 0;
  for (const file of weightFiles.files) {
    const stored = file.tensors.filter(({ name }) => writer.wants(name));
    const tensors = new Map(stored.map((tensor) => [tensor.name, readable(file, tensor, isQuantized)]));
    const matrices = stored.filter(({ dtype, integers }) => dtype === 'I8' && !integers);
    const scales = await readScales(weightFiles, matrices);
    let position = 0;
    for await (const piece of readTensors(file, ({ name }) => writer.wants(name))) {
      signal?.throwIfAborted();
      const tensor = tensors.get(piece.tensor.name);
      if (tensor) await writer.write({ ...piece, tensor }, scales.get(tensor.name));
      position = file.bytesRead?.() ?? piece.position;
      onBytes?.(file, before + position);
    }
    await writer.finish();
    // Formats that are read from the end know their size; the others have been read to the end.
    before += file.end ?? file.size ?? position;
    onBytes?.(file, before);
    await file.close();
  }
  return before;
}

/** @throws TransformerError `bad_checkpoint` for a data type that the engine cannot take. */
function readable({ name: file }: WeightFile, tensor: StoredTensor, isQuantized: boolean): WrittenTensor {
  const { name, dtype, shape, integers } = tensor;
  if (isWritable(dtype) && (dtype !== 'I8' || isQuantized)) return { name, dtype, shape, integers };
  const wrong = `${file}: the tensor '${name}' is stored as ${dtype}`;
  if (dtype === 'I8') fail('bad_checkpoint', `${wrong}, but config.json has no quantization_config`);
  return fail('bad_checkpoint', `${wrong}; weights are ${floatTypes.join(', ')}`);
}

const writable: Readonly<Record<WrittenType, true>> = {
  F32: true,
  F16: true,
  BF16: true,
  F64: true,
  I8: true,
};
const isWritable = (dtype: string): dtype is WrittenType => Object.hasOwn(writable, dtype);
