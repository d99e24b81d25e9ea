/** Finds the weights in a checkpoint's folder. */

import type { Folder } from '../files/folder.js';
import { fail } from '../values/errors.js';
import { openSafetensors } from './safetensors_file.js';
import type { openShards } from './shards.js';
import type { OpenOptions, WeightFile, WeightFiles } from './weight_file.js';

/** Loaded when a folder has no safetensors. */
const openTorch: typeof openSafetensors = async (folder, name, options) =>
  (await import('./torch_file.js')).openTorch(folder, name, options);

/** Loaded when a folder has no `model.safetensors`. */
const openIndex: typeof openShards = async (...args) => (await import('./shards.js')).openShards(...args);

/** File names used on the Hub, best first: a folder often keeps an older format next to a newer one. */
const places = [
  { name: 'model.safetensors', open: openSafetensors, isIndex: false },
  { name: 'model.safetensors.index.json', open: openSafetensors, isIndex: true },
  { name: 'pytorch_model.bin', open: openTorch, isIndex: false },
  { name: 'pytorch_model.bin.index.json', open: openTorch, isIndex: true },
] as const;

/**
 * Opens the weights of a folder and reads their headers.
 *
 * @throws TransformerError `missing_file`, also for a shard that the index names; `bad_checkpoint` for an invalid
 *   header, index or pickle; `unsupported`.
 */
export async function openWeights(folder: Folder, options: OpenOptions = {}): Promise<WeightFiles> {
  const missing: string[] = [];
  for (const { name, open, isIndex } of places) {
    const found = isIndex ? await openIndex(folder, name, open, options) : await open(folder, name, options);
    if (!('missing' in found)) return 'files' in found ? found : alone(found);
    missing.push(found.missing);
  }
  const others = places.slice(1).map(({ name }) => name);
  fail('missing_file', `${missing[0]}; also tried: ${others.join(', ')}`);
}

function alone(file: WeightFile): WeightFiles {
  const { name, size, tensors } = file;
  return { name, size, files: [file], tensors, close: () => file.close() };
}
