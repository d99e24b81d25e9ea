/** The languages whose way of writing numbers counts: those that the caller names, or that a model's own files do. */

import type { Loaded } from '../checkpoint/loaded.js';
import { isJsonObject } from '../files/json_object.js';
import { readJson } from '../files/read_json.js';
import type { ReadTranslateOptions } from './options.js';
import type { SentenceTranslator } from './sentence_translator.js';

export interface NumberLanguages {
  readonly source: string | undefined;
  readonly target: string | undefined;
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A pair in a name: `Helsinki-NLP/opus-mt-en-fr`, `model.enfr.intgemm.alphas.bin`. */
const pairIn = (name: unknown) =>
  /opus-mt-(?:tc-\w+-)?([a-z]{2,3})-([a-z]{2,3})$/.exec(textIn(name) ?? '') ??
  /^model\.([a-z]{2})([a-z]{2})\./.exec(textIn(name) ?? '');

const known = new WeakMap<Loaded, Promise<NumberLanguages>>();

/** Of a model for one pair, by its tokenizer_config.json or its name. Others are told the languages of each text. */
function languagesOf(model: Loaded): Promise<NumberLanguages> {
  const own = known.get(model) ?? read(model);
  known.set(model, own);
  return own;
}

async function read({ config, folder }: Loaded): Promise<NumberLanguages> {
  const [, source, target] = pairIn(config._name_or_path) ?? pairIn(config.model_file) ?? [];
  if (source && target) return { source, target };
  // What is not there, or cannot be read now, tells nothing; the translation does without.
  const settings = await readJson(folder, 'tokenizer_config.json').catch(() => null);
  return isJsonObject(settings)
    ? { source: textIn(settings.source_lang), target: textIn(settings.target_lang) }
    : { source: undefined, target: undefined };
}

export async function numberLanguages(
  { model, last = model }: SentenceTranslator,
  { sourceLanguage, targetLanguage, generation }: ReadTranslateOptions,
): Promise<NumberLanguages> {
  return {
    source: sourceLanguage ?? generation.srcLang ?? (await languagesOf(model)).source,
    target: targetLanguage ?? generation.tgtLang ?? (await languagesOf(last)).target,
  };
}
