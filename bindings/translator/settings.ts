/** Settings that all translators share: where their models come from, and how they are loaded. */

import type { LoadModelOptions } from '../model/load_model.js';
import { checkNames, toObject } from '../values/options.js';
import { type FindModel, finderOf, type TranslationModels } from './translation_models.js';

export interface TranslatorSettings {
  /** Where the models come from; default: the English-French model of this package. */
  models?: TranslationModels;
  /** The languages that lead from one to another where no model does by itself; default: `['en']`. */
  pivots?: readonly string[];
  /** Options for loading models. In a page, downloads are kept by default (`cache: true`). */
  load?: Omit<LoadModelOptions, 'onProgress' | 'signal'>;
  /**
   * Whether a model is downloaded only after a click of the user, as the platform has it: `create` rejects with a
   * `NotAllowedError` otherwise. Default `true`; has no meaning in workers and in Node.js.
   */
  needsActivation?: boolean;
}

export interface Settings {
  readonly find: FindModel;
  readonly pivots: readonly string[];
  readonly load: LoadModelOptions;
  readonly needsActivation: boolean;
}

let current: Settings | undefined;
let shipped: TranslationModels = {};

/** The defaults. */
export function setShipped(models: TranslationModels): void {
  shipped = models;
}

/**
 * Says where models come from. Translators that were created before keep theirs.
 *
 * @throws TransformerError `invalid_argument`, naming the setting
 * @example
 * configure({ models: 'https://example.org/models/' }); // has a registry.json
 * configure({ models: (source, target) => (source === 'de' && target === 'en' ? 'models/de-en' : null) });
 */
export function configure(settings: TranslatorSettings): void {
  const given = toObject(settings, 'settings') as TranslatorSettings;
  checkNames(given as Record<string, unknown>, ['models', 'pivots', 'load', 'needsActivation'], 'settings');
  current = read(given);
}

export function settingsNow(): Settings {
  current ??= read({});
  return current;
}

const read = ({
  models = shipped,
  pivots = ['en'],
  load = {},
  needsActivation = true,
}: TranslatorSettings): Settings => ({
  find: finderOf(models),
  pivots,
  load: { ...(globalThis.document !== undefined && { cache: true }), ...load },
  needsActivation,
});
