/** Loads a model from a folder. */

import { type CacheOption, type LoadProgress, loadCheckpoint } from '../checkpoint/load_checkpoint.js';
import type { LanguagePair } from '../checkpoint/student_files.js';
import { type LoadDtype, toLoadDtype } from '../engine/dtype.js';
import type { CheckpointSource } from '../files/folder.js';
import type { HubOptions } from '../files/hub.js';
import type { Integrity } from '../files/integrity.js';
import { createEngine, Engine, hostOf } from '../layers/engine.js';
import { cross } from '../values/border.js';
import { fail } from '../values/errors.js';
import { checkNames, toBoolean, toInteger, toObject } from '../values/options.js';
import { describe } from '../values/tensor.js';
import { engineOptions } from '../worker/open_host.js';
import { Model } from './model.js';

/** Bytes of weights of a model that is warmed up. */
const leastToWarmUp = 16e6;

export interface LoadModelOptions {
  /**
   * The engine to use, which several models can share, or the promise of one: the model's files are then asked for
   * while it starts. By default the model creates its own and disposes it.
   */
  engine?: Engine | Promise<Engine>;
  /**
   * How to store matrices: `'auto'`, as the files do; `'f32'`; `'int8'`, quantised during loading: a quarter of the
   * memory of float32, several times as fast, but less exact; or `'int4'`, for large models: groups of 32 weights with
   * a scale each, embeddings in 8 bits, a little more than half of the memory of `'int8'`. Default: `'auto'`.
   *
   * Matrices that a checkpoint stores in 16 bits (float16, bfloat16) stay so with `'auto'`. They take half the memory,
   * and give bitwise the same results as with `'f32'`. A checkpoint that `transformer-wasm quantize` wrote in 8 or 4
   * bits gives bitwise the same results as its original loaded with `'int8'` or `'int4'`.
   */
  dtype?: LoadDtype;
  /** Called repeatedly while files are read. An exception thrown here aborts loading. */
  onProgress?: (progress: LoadProgress) => void;
  /** Aborts loading, which then rejects with the signal's reason and frees everything allocated so far. */
  signal?: AbortSignal;
  /**
   * Whether to keep downloads, in a browser's Cache Storage or on disk in Node.js (`$XDG_CACHE_HOME/transformer-wasm`):
   * the next load only asks the server whether the files have changed, an aborted download resumes where it ended, and
   * the model loads without a network connection. If nothing can be kept (in a page without https, if storage is full),
   * loading continues and `model.info.notes` says so. Default: true for models of a hub, else false.
   *
   * `{ as: 'int8' }` keeps the weights with matrices in 8 bits, and loads the model so: about a quarter of the space,
   * and of the time to load it again. The results are those of `dtype: 'int8'`. `{ persist: true }` asks the browser
   * not to delete what is kept when space runs short, which some browsers ask people about.
   */
  cache?: CacheOption;
  /**
   * How many bytes the engine may take to remember keys and values of earlier texts, and encodings of sources, so that
   * a text that begins alike is not computed again; results are the same to the last bit. 0: none. Default: a quarter
   * of what the weights take, at most 256 MB.
   */
  prefixCacheBytes?: number;
  /**
   * Loads the source from a hub, as the id `'owner/name'`. Not needed for such an id if no folder of that name is next
   * to the page or script.
   */
  hub?: HubOptions;
  /**
   * How often a request is repeated that fails for a passing reason (no connection, a busy server), each time after a
   * longer pause. A download that breaks off resumes where it ended. Default: 4.
   */
  retries?: number;
  /**
   * SHA-256 of files by their names, in base64 as in a page's `integrity`: `{ 'model.safetensors': 'sha256-...' }`.
   * Loading fails with `bad_checkpoint` if one of them holds anything else, and with `missing_file` if it does not
   * exist.
   */
  integrity?: Integrity;
  /**
   * For a folder with a `registry.json` of translation models, one for each pair of languages: which of them to load,
   * by its source and target language, `['de', 'en']`.
   */
  pair?: LanguagePair;
}

/**
 * Loads a model: `config.json`, its weights, and for text the files of a tokenizer. The weights are
 * `model.safetensors`, the files listed in `model.safetensors.index.json`, `pytorch_model.bin`, or several of those
 * with an index; the first that exists is used. Where the engine runs in a worker, a large model then computes a few
 * tokens until somebody asks for something, so that its first call is not the slow one.
 *
 * @param source the folder that contains them: a URL, a path (in Node.js), the id of a model on a hub, a folder handle,
 *   an array of File, or a Map from file names to Blob, Uint8Array or URL
 * @throws TransformerError `missing_file`, `bad_checkpoint`, `unsupported` (for example an unknown model family),
 *   `out_of_memory`, `invalid_argument`; an abort rejects with the signal's reason.
 * @example
 * const model = await loadModel('models/en-fr');
 * const { text } = await model.translate('I am hungry.');
 */
export async function loadModel(source: CheckpointSource, options: LoadModelOptions = {}): Promise<Model> {
  return cross('source options', [source, options], load);
}

async function load(source: CheckpointSource, options: LoadModelOptions): Promise<Model> {
  await checkLoadOptions(options);
  const { engine: given, prefixCacheBytes, ...asked } = options;
  const { signal } = options;
  signal?.throwIfAborted();
  // Starts while the small files are read.
  const starting = Promise.resolve(given ?? createEngine(signal ? { signal } : {})).then(toEngine);
  const host = starting.then(hostOf);
  host.catch(() => undefined); // reported to those who await it
  try {
    const checkpoint = await loadCheckpoint(source, { ...asked, host });
    if (prefixCacheBytes !== undefined)
      await (await host).invoke(checkpoint.handle, 'limitPrefixes', prefixCacheBytes);
    const model = new Model(checkpoint, { engine: await starting, ownsEngine: given === undefined });
    // In the caller's own thread it would be in the way, and small models compute their first tokens sooner than that.
    if (model.loaded.host.inWorker && model.info.weightBytes >= leastToWarmUp)
      import('./warm_up.js').then(({ warmUpSoon }) => warmUpSoon(model.loaded)).catch(() => undefined);
    return model;
  } catch (error) {
    if (!given) await (await starting.catch(() => undefined))?.dispose();
    throw error;
  }
}

function toEngine(engine: unknown): Engine {
  if (engine instanceof Engine) return engine;
  return fail(
    'invalid_argument',
    `engine must be an Engine created by createEngine, got ${describe(engine)}`,
  );
}

async function checkLoadOptions(options: LoadModelOptions): Promise<void> {
  const given = toObject(options, 'options');
  const known = [
    'engine',
    'dtype',
    'onProgress',
    'signal',
    'cache',
    'hub',
    'retries',
    'integrity',
    'pair',
    'prefixCacheBytes',
  ];
  const ofEngine = Object.keys(given).find((key) => !known.includes(key) && engineOptions.includes(key));
  if (ofEngine)
    fail(
      'invalid_argument',
      `options has no '${ofEngine}', which is an option of the engine: { engine: createEngine({ ${ofEngine} }) }`,
    );
  checkNames(given, known, 'options');
  if (given.dtype !== undefined) toLoadDtype(given.dtype, 'dtype');
  if (given.prefixCacheBytes !== undefined) toInteger(given.prefixCacheBytes, 'prefixCacheBytes', { min: 0 });
  const { cache, dtype } = given as LoadModelOptions;
  if (typeof cache === 'object' && cache)
    (await import('../checkpoint/quantized_cache.js')).checkCache(cache, dtype);
  else if (cache !== undefined) toBoolean(cache, 'cache');
  if (given.integrity !== undefined) (await import('../files/integrity.js')).toHashes(given.integrity);
  if (given.integrity !== undefined && typeof cache === 'object' && cache?.as !== undefined)
    fail(
      'invalid_argument',
      "integrity is that of the files as they are published, which cache: { as: 'int8' } does not keep; pass one of them",
    );
  if (given.hub !== undefined) toObject(given.hub, 'hub');
  if (given.retries !== undefined) toInteger(given.retries, 'retries', { min: 0, max: 20 });
  const expect = (name: string, holds: (value: unknown) => boolean, wanted: string) => {
    if (given[name] !== undefined && !holds(given[name])) {
      fail('invalid_argument', `${name} must be ${wanted}, got ${describe(given[name])}`);
    }
  };
  expect(
    'engine',
    (value) => value instanceof Engine || value instanceof Promise,
    'an Engine created by createEngine',
  );
  const isCode = (value: unknown) => typeof value === 'string' && /^\w[\w-]*$/.test(value);
  expect(
    'pair',
    (value) => Array.isArray(value) && value.length === 2 && value.every(isCode),
    "the codes of two languages, such as ['de', 'en']",
  );
  expect('onProgress', (value) => typeof value === 'function', 'a function');
  expect('signal', (value) => value instanceof AbortSignal, 'an AbortSignal');
}
