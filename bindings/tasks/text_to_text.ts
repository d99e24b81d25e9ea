/** Translation, summarisation and other rewriting, with the settings that a checkpoint has for each task. */

import { isJsonObject, type JsonObject } from '../checkpoint/json/json_object.js';
import { fail } from '../engine/errors.js';
import { generate } from '../model/generate.js';
import { hasDecoder, hasEncoder, type Loaded } from '../model/loaded.js';
import type { GenerationOptions } from '../model/options.js';
import { checkText } from './batch_encoder.js';

/**
 * The texts that a model with an encoder and a decoder writes for each text, best first.
 *
 * @param task its settings are under this name in config.json's `task_specific_params`: a prefix such as 'summarize: ',
 *   and options of the generation
 * @throws TransformerError `invalid_argument`, `unsupported`; the signal's reason.
 */
export async function textToText(
  model: Loaded,
  task: string,
  texts: readonly string[],
  options: GenerationOptions,
): Promise<string[][]> {
  if (!hasEncoder(model) || !hasDecoder(model))
    fail('unsupported', `only a model with an encoder and a decoder can do the task '${task}'`);
  const { prefix, languages, settings } = settingsOf(model, task, options);
  const inputs = texts.map((text) => prefix + checkText(text, 'the text'));
  const results = await generate(model, inputs, { ...settings, ...languages });
  return results.map(({ sequences }) => sequences.map(({ text }) => text));
}

interface Settings {
  readonly prefix: string;
  readonly languages: Pick<GenerationOptions, 'srcLang' | 'tgtLang'>;
  readonly settings: GenerationOptions;
}

function settingsOf({ config, tokenizer }: Loaded, task: string, options: GenerationOptions): Settings {
  const { srcLang, tgtLang, ...others } = options;
  const all = isJsonObject(config.task_specific_params) ? config.task_specific_params : {};
  // A model without language tokens knows pairs of languages as tasks of their own.
  const isPair = !tokenizer?.languages && srcLang !== undefined && tgtLang !== undefined;
  const named = isPair ? `${task.split('_')[0]}_${srcLang}_to_${tgtLang}` : task;
  const own = all[named];
  if (isPair && !isJsonObject(own)) fail('unsupported', `the model has no task '${named}'${knownTasks(all)}`);
  const { prefix, ...rest } = isJsonObject(own) ? own : {};
  return {
    prefix: typeof prefix === 'string' ? prefix : '',
    languages: isPair
      ? {}
      : { ...(srcLang !== undefined && { srcLang }), ...(tgtLang !== undefined && { tgtLang }) },
    settings: { ...camelCased(rest), ...others },
  };
}

function knownTasks(all: JsonObject): string {
  const names = Object.keys(all);
  return names.length > 0 ? `; its tasks are ${names.join(', ')}` : '';
}

/** Python's names of options as JavaScript's: `max_length` becomes `maxLength`. */
export const camelCased = (options: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
