/** Loads a model for the duration of a command. */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { createEngine } from '../layers/engine.js';
import { type LoadModelOptions, loadModel } from '../model/load_model.js';
import type { Model } from '../model/model.js';
import type { EngineOptions } from '../worker/open_host.js';
import type { shippedModelFlags, ValuesOf } from './flags.js';
import { progressBar } from './progress.js';
import { say } from './terminal.js';

/** What is given of the flags that say which model to load, and how. */
type Values = ValuesOf<Omit<typeof shippedModelFlags, 'json'>>;

/** The model included in the package, which finds itself by its name: where this code is, is the build's affair. */
function shippedModel(): URL {
  const config = createRequire(import.meta.url).resolve('transformer-wasm/models/en-fr/config.json');
  return new URL('.', pathToFileURL(config));
}

/** Loads the model that the options select, or else the package's own, and frees it when `work` ends or fails. */
export function withModel<T>(values: Values, work: (model: Model) => Promise<T>): Promise<T> {
  return withFolder(values.model ?? shippedModel(), values, work);
}

const engineOptionsOf = ({ threads, simd }: Values): EngineOptions => ({
  ...(typeof threads === 'number' && { threads }),
  ...(simd && { simd }),
});

const loadOptionsOf = ({ dtype, model, revision }: Values): Omit<LoadModelOptions, 'engine'> => ({
  ...(dtype && { dtype }),
  ...(revision !== undefined && { hub: { revision } }),
  // Who names an address on a command line names it again.
  ...(model !== undefined && /^https?:/.test(model) && { cache: true }),
});

/** Like {@link withModel}, for a folder that is not an option. */
export async function withFolder<T>(
  folder: string | URL,
  values: Values,
  work: (model: Model) => Promise<T>,
): Promise<T> {
  const engine = await createEngine(engineOptionsOf(values));
  try {
    return await work(await loadModel(folder, { engine, ...progressBar(), ...loadOptionsOf(values) }));
  } finally {
    await engine.dispose();
  }
}

/** Warns about words that are not in the model's vocabulary. */
export function warnOfUnknownWords(words: readonly string[]): void {
  if (words.length === 0) return;
  const which =
    words.length === 1 ? 'a word that the model does not know' : 'words that the model does not know';
  say(`${which}: ${words.join(', ')}`);
}
