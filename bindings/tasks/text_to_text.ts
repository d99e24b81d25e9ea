/** Translation, summarisation and other rewriting, with the settings that a checkpoint has for each task. */

import { hasDecoder, hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import { generate } from '../generation/generate.js';
import type { GenerationOptions } from '../generation/options.js';
import { tasksOf } from '../generation/task_settings.js';
import { fail } from '../values/errors.js';
import { checkText } from './batch_encoder.js';

/**
 * The texts that a model with an encoder and a decoder writes for each text, best first.
 *
 * @param task its settings are under this name in config.json's `task_specific_params`, if there are any
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
  const inputs = texts.map((text) => checkText(text, 'the text'));
  const results = await generate(model, inputs, forTask(model, task, options));
  return results.map(({ sequences }) => sequences.map(({ text }) => text));
}

function forTask(model: Loaded, task: string, options: GenerationOptions): GenerationOptions {
  const { srcLang, tgtLang, ...others } = options;
  const tasks = tasksOf(model);
  // A model without language tokens knows pairs of languages as tasks of their own.
  if (!model.tokenizer?.languages && srcLang !== undefined && tgtLang !== undefined) {
    const named = `${task.split('_')[0]}_${srcLang}_to_${tgtLang}`;
    if (Object.hasOwn(tasks, named)) return { ...others, task: named };
    const names = Object.keys(tasks).join(', ');
    fail('unsupported', `the model has no task '${named}'${names && `; its tasks are ${names}`}`);
  }
  return Object.hasOwn(tasks, task) ? { ...options, task } : options;
}
