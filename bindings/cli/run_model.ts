/** Loads a model for the duration of a command. */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { createEngine } from '../layers/engine.js';
import { loadModel } from '../model/load_model.js';
import type { Model } from '../model/model.js';
import { engineOptionsOf, loadOptionsOf, UsageError, type Values } from './arguments.js';
import { progressBar } from './progress.js';
import { say } from './terminal.js';

/** The model included in the package, which finds itself by its name: where this code is, is the build's affair. */
function shippedModel(): URL {
  const config = createRequire(import.meta.url).resolve('transformer-wasm/models/en-fr/config.json');
  return new URL('.', pathToFileURL(config));
}

/** Loads the model that the options select, or else the package's own, and frees it when `work` ends or fails. */
export function withModel<T>(values: Values, work: (model: Model) => Promise<T>): Promise<T> {
  return withFolder(values.model ?? shippedModel(), values, work);
}

/** @throws UsageError for a command that the included model cannot carry out. */
export function requireModel(command: string, { model }: Values): void {
  if (model === undefined) throw new UsageError(`${command} needs a model: --model DIR, URL or owner/name`);
}

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
