/** Streams tensors from files into the engine piece by piece, so that the weights never exist twice. */

import type { Handle, Host } from '../engine/host.js';
import { fail } from '../values/errors.js';
import { floatTypes } from './floats.js';
import { readTensors } from './read_tensors.js';
import { readScales } from './scales.js';
import { SliceWriter, type WrittenTensor, type WrittenType } from './slice_writer.js';
import type { Slice } from './slices.js';
import type { StoredBlock, StoredTensor } from './stored_tensor.js';
import type { WeightFile, WeightFiles } from './weight_file.js';

interface WeightTarget {
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
  const writer = new SliceWriter(host, weights, slices, weightFiles.tensors);
  let before = 0;
  for (const file of weightFiles.files) {
    const stored = file.tensors.filter(({ name }) => writer.wants(name) && !writer.isPart(name));
    const tensors = new Map(stored.map((tensor) => [tensor.name, readable(file, tensor, isQuantized)]));
    const matrices = stored.filter(({ dtype, integers }) => dtype === 'I8' && !integers);
    const scales = await readScales(weightFiles, matrices);
    let position = 0;
    for await (const piece of readTensors(file, ({ name }) => writer.wants(name))) {
      signal?.throwIfAborted();
      const tensor = tensors.get(piece.tensor.name);
      if (tensor) await writer.write({ ...piece, tensor }, scales.get(tensor.name));
      else await writer.hold(piece);
      position = piece.position;
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
  const { dtype, name } = tensor;
  if (isWritable(dtype, tensor.block) && (dtype !== 'I8' || isQuantized)) return { ...tensor, dtype };
  const wrong = `${file}: the tensor '${name}' is stored as ${dtype}`;
  if (dtype === 'I8') fail('bad_checkpoint', `${wrong}, but config.json has no quantization_config`);
  return fail('bad_checkpoint', `${wrong}; weights are ${floatTypes.join(', ')}`);
}

/** Blocks have types of the engine; the others are those of any file. */
const isWritable = (dtype: string, block?: StoredBlock): dtype is WrittenType =>
  block !== undefined || dtype === 'I8' || floatTypes.includes(dtype);
