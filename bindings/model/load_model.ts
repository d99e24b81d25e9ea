/** From a folder to a model that can be asked. */

import { type LoadProgress, loadCheckpoint } from '../checkpoint/load_checkpoint.js';
import type { CheckpointSource } from '../checkpoint/source/folder.js';
import { type Dtype, toDtype } from '../engine/dtype.js';
import { fail } from '../engine/errors.js';
import { checkNames, toBoolean, toObject } from '../engine/options.js';
import { describe } from '../engine/tensor.js';
import { createEngine, Engine, hostOf } from '../layers/engine.js';
import { Model } from './model.js';

export interface LoadModelOptions {
  /** Where the model runs; several models can share one. Without it the model has its own and disposes of it. */
  engine?: Engine;
  /**
   * How matrices are kept: `'f32'`, or `'int8'`, quantised while they are read: a quarter of the memory, several times as
   * fast, and less exact. Default: `'int8'` for a checkpoint of 8 bits, as `transformer-wasm quantize` writes it, else
   * `'f32'`. A checkpoint of 8 bits gives the same bits as the one that it was made of, read with `'int8'`.
   */
  dtype?: Dtype;
  /** Called often while files are read. What it throws ends the loading. */
  onProgress?: (progress: LoadProgress) => void;
  /** Ends the loading, which rejects with the signal's reason. Everything that was made so far is given back. */
  signal?: AbortSignal;
  /**
   * Whether a browser keeps what is downloaded (of a source that is an address): the next load asks the server only
   * whether the files are still the same, an aborted download goes on where it ended, and without a network the model
   * still loads. Where nothing can be kept (in Node.js, without https, without room) loading goes on, and `model.info.notes`
   * says so. Default: false.
   */
  cache?: boolean;
}

/**
 * Loads a model: `config.json`, its weights, and for text the files of a tokenizer. The weights are `model.safetensors`,
 * else the files that `model.safetensors.index.json` names, else `pytorch_model.bin`, or several with an index of that kind.
 *
 * @param source a URL or (in Node) the path of the folder that holds them, a folder handle, an array of File, or a Map from
 *   file names to Blob or Uint8Array
 * @throws TransformerError `missing_file`, `bad_checkpoint`, `unsupported` (another family of models), `out_of_memory`,
 *   `invalid_argument`; an abort rejects with the signal's reason.
 * @example
 * const model = await loadModel('models/en-fr');
 * const { text } = await model.translate('I am hungry.');
 */
export async function loadModel(source: CheckpointSource, options: LoadModelOptions = {}): Promise<Model> {
  checkLoadOptions(options);
  const { engine: given, dtype, onProgress, signal, cache } = options;
  signal?.throwIfAborted();
  const engine = given ?? (await createEngine(signal ? { signal } : {}));
  try {
    const checkpoint = await loadCheckpoint(source, {
      host: hostOf(engine),
      dtype,
      onProgress,
      signal,
      cache,
    });
    return new Model(checkpoint, { engine, ownsEngine: given === undefined });
  } catch (error) {
    if (!given) await engine.dispose();
    throw error;
  }
}

function checkLoadOptions(options: LoadModelOptions): void {
  const given = toObject(options, 'options');
  checkNames(given, ['engine', 'dtype', 'onProgress', 'signal', 'cache'], 'options');
  if (given.dtype !== undefined) toDtype(given.dtype, 'dtype');
  if (given.cache !== undefined) toBoolean(given.cache, 'cache');
  const expect = (name: string, holds: (value: unknown) => boolean, wanted: string) => {
    if (given[name] !== undefined && !holds(given[name])) {
      fail('invalid_argument', `${name} must be ${wanted}, got ${describe(given[name])}`);
    }
  };
  expect('engine', (value) => value instanceof Engine, 'an Engine, as createEngine gives it');
  expect('onProgress', (value) => typeof value === 'function', 'a function');
  expect('signal', (value) => value instanceof AbortSignal, 'an AbortSignal');
}
