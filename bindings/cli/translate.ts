/** `transformer-wasm translate`. */

import { createInterface } from 'node:readline';
import type { Model } from '../model/model.js';
import type { GenerationOptions } from '../model/options.js';
import { generationOptionsOf, UsageError, type Values } from './arguments.js';
import { warnOfUnknownWords, withModel } from './run_model.js';

export async function translate(positionals: readonly string[], values: Values): Promise<void> {
  const readsInput = positionals[0] === '-' || (positionals.length === 0 && !process.stdin.isTTY);
  if (positionals.length === 0 && !readsInput) {
    throw new UsageError('missing argument: the text to translate, or - for standard input');
  }
  const options = generationOptionsOf(values);
  const asJson = values.json ?? false;
  await withModel(values, async (model) => {
    if (!readsInput) return translateOne(model, positionals.join(' '), options, asJson);
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
      // Empty lines stay empty, so that lines match their translations.
      if (line.trim() === '') process.stdout.write('\n');
      else await translateOne(model, line, options, asJson);
    }
  });
}

async function translateOne(
  model: Model,
  text: string,
  options: GenerationOptions,
  asJson: boolean,
): Promise<void> {
  const { sourceOffsets: _, ...translation } = await model.translate(text, options);
  warnOfUnknownWords(translation.unknownWords);
  process.stdout.write(`${asJson ? JSON.stringify({ source: text, ...translation }) : translation.text}\n`);
}
