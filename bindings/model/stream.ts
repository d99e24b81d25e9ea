/** Generates one result and gives each token away as soon as it is certain. */

import { engineOptions } from './engine_options.js';
import { stopTexts } from './generate.js';
import { prepareInput, type TextOrIds, withLanguages } from './inputs.js';
import { hasEncoder, type Loaded } from './loaded.js';
import { type GenerationOptions, readOptions } from './options.js';
import { pull } from './pull.js';
import type { StreamChunk } from './results.js';
import { TextIncrement } from './text_increment.js';

/**
 * A chunk a token, end token included. Joined, the chunks' texts are the text that `generate` gives for the same options;
 * of a decoder alone, what follows the prompt. In a beam search a token comes when all beams agree on it.
 *
 * @throws TransformerError; the signal's reason.
 */
export async function* stream(
  model: Loaded,
  input: TextOrIds,
  given: GenerationOptions,
): AsyncGenerator<StreamChunk, void, void> {
  const options = withLanguages(model, readOptions(given));
  const prepared = await prepareInput(model, input, options, 'the input');
  const { prompt } = prepared;
  const stops = stopTexts(model, prompt, options);
  const shown = hasEncoder(model) ? '' : stops.textOf(prompt);
  const increment = new TextIncrement(shown);
  let count = 0;
  const own = engineOptions(model, options, prompt.length);
  for await (const { done, certain, results } of pull(model, [prepared], { ...options, settings: own })) {
    const generated = certain[0] ?? new Int32Array();
    if (generated.length === count) continue;
    const best = (await results())[0]?.[0];
    for (; count < generated.length; count++) {
      options.signal?.throwIfAborted();
      const id = generated[count] as number;
      const ids = [...prompt, ...generated.subarray(0, count + 1)];
      const hasStopped = stops.isIn(ids);
      const isLast = hasStopped || (done && count + 1 === generated.length);
      const text = isLast ? stops.textOf(ids) : stops.settledTextOf(ids);
      const token = model.tokenizer?.tokenOf(id) ?? `${id}`;
      yield { token, id, text: increment.push(text), score: best?.tokenScores[count] ?? 0 };
      if (hasStopped) return;
    }
  }
}
