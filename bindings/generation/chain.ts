/** Translates through other languages: each model reads what the one before it wrote. */

import { hasDecoder, hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import { fail } from '../values/errors.js';
import { Tensor } from '../values/tensor.js';
import { generate } from './generate.js';
import type { GenerationOptions } from './options.js';
import { type AlignedTranslation, alignTokens, throughPivot } from './token_alignment.js';

/** A sentence that several models have translated, one after the other. */
export interface ChainedTranslation extends AlignedTranslation {
  /** The sum of the models' scores. */
  readonly score: number;
  /** The text that each model wrote; the last is `text`. */
  readonly steps: readonly string[];
}

/** A text before any model has read it. */
const untranslated = (text: string, models: number): ChainedTranslation => ({
  text,
  sourceTokens: [],
  targetTokens: [],
  sourceSpans: [],
  targetSpans: [],
  weights: new Tensor(new Float32Array(), [0, 0]),
  score: 0,
  steps: Array.from({ length: models }, () => text),
});

/**
 * Each text is read as one sentence. One that a model translates with nothing stays empty, and white space as it is.
 *
 * @throws TransformerError; the signal's reason.
 */
export async function translateThrough(
  models: readonly Loaded[],
  texts: readonly string[],
  options: GenerationOptions,
): Promise<ChainedTranslation[]> {
  for (const [i, model] of models.entries())
    if (!hasEncoder(model) || !hasDecoder(model))
      fail('unsupported', `model ${i + 1} of the chain cannot translate: it has no encoder or no decoder`);
  for (const text of texts)
    if (typeof text !== 'string')
      fail('invalid_argument', `the text to translate must be a string, got ${typeof text}`);
  let translations = texts.map((text) => untranslated(text, models.length));
  for (const [step, model] of models.entries()) {
    const inputs = translations.map(({ text }) => text);
    const read = inputs.flatMap((input, i) => (input.trim() === '' ? [] : [i]));
    const results = await generate(
      model,
      read.map((i) => inputs[i] ?? ''),
      { ...options, outputAttentions: true },
    );
    const next = [...translations];
    for (const [k, i] of read.entries()) {
      const result = results[k] ?? fail('internal', 'a result is missing');
      const own = alignTokens(model, inputs[i] ?? '', result);
      const before = translations[i] ?? fail('internal', 'a translation is missing');
      const score = before.score + (result.sequences[0]?.score ?? 0);
      const aligned = step === 0 ? own : throughPivot(before, own);
      const steps = before.steps.map((text, at) => (at < step ? text : own.text));
      next[i] = { ...aligned, score, steps };
    }
    translations = next;
  }
  return translations;
}
