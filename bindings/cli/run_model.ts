/** Loads a model for the duration of a command. */

import { createEngine } from '../layers/engine.js';
import { loadModel } from '../model/load_model.js';
import type { Model } from '../model/model.js';
import { engineOptionsOf, loadOptionsOf, type Values } from './arguments.js';

/** The model included in the package. */
const shippedModel = new URL('../models/en-fr/', import.meta.url);

/** Loads the model that the options select, and frees it when `work` ends or fails. */
export function withModel<T>(values: Values, work: (model: Model) => Promise<T>): Promise<T> {
  return withFolder(values.model ?? shippedModel, values, work);
}

/** Like {@link withModel}, for a folder that is not an option. */
export async function withFolder<T>(
  folder: string | URL,
  values: Values,
  work: (model: Model) => Promise<T>,
): Promise<T> {
  const engine = await createEngine(engineOptionsOf(values));
  try {
    return await work(await loadModel(folder, { engine, ...loadOptionsOf(values) }));
  } finally {
    await engine.dispose();
  }
}

/** Warns about words that are not in the model's vocabulary. */
export function warnOfUnknownWords(words: readonly string[]): void {
  if (words.length === 0) return;
  const which =
    words.length === 1 ? 'a word that the model does not know' : 'words that the model does not know';
  process.stderr.write(`transformer-wasm: ${which}: ${words.join(', ')}\n`);
}
