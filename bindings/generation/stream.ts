/** Generates one result and yields each token as soon as it is certain. */

import { hasEncoder, type Loaded, tokensOf } from '../checkpoint/loaded.js';
import { fail } from '../values/errors.js';
import { engineOptions } from './combined_options.js';
import { copyingOf, stopTexts } from './generate.js';
import { prepareInput, type TextOrIds, withLanguages } from './inputs.js';
import { type GenerationOptions, readOptions } from './options.js';
import { pull } from './pull.js';
import type { StreamChunk } from './results.js';
import { TextIncrement } from './text_increment.js';

/**
 * Yields one chunk per token, end token included. The texts of the chunks concatenate to the text that `generate`
 * returns for the same options; for a decoder alone, to its continuation of the promptIds. In a beam search, a token is
 * yielded once all beams agree on it.
 *
 * @throws TransformerError, `invalid_argument` for `numReturnSequences` above 1; the signal's reason.
 */
export async function* stream(
  model: Loaded,
  input: TextOrIds,
  given: GenerationOptions,
): AsyncGenerator<StreamChunk, void, void> {
  const options = withLanguages(model, readOptions(given));
  if ((options.numReturnSequences ?? 1) > 1)
    fail(
      'invalid_argument',
      `a stream has one result, got numReturnSequences ${options.numReturnSequences}; use generate`,
    );
  const prepared = await prepareInput(model, input, options, 'the input');
  const { promptIds } = prepared;
  const copying = await copyingOf(model, prepared, options);
  const stops = stopTexts(model, promptIds, options, copying);
  const shown = hasEncoder(model) ? '' : stops.textOf(promptIds);
  const increment = new TextIncrement(shown);
  let count = 0;
  const settings = { ...engineOptions(model, options, promptIds.length), numReturnSequences: 1 };
  const tops = settings.topLogprobs ? await import('./top_logprobs.js') : null;
  const reports = pull(model, [prepared], { ...options, settings, reportsResults: true });
  for await (const { done, certain, results } of reports) {
    const generated = certain[0] ?? new Int32Array();
    if (generated.length === count) continue;
    const best = results[0]?.[0];
    for (const [i, id] of generated.subarray(count).entries()) {
      const length = count + i + 1;
      options.signal?.throwIfAborted();
      const ids = [...promptIds, ...generated.subarray(0, length)];
      await copying?.read(ids);
      const hasStopped = stops.endIn(ids) !== null;
      const isLast = hasStopped || (done && length === generated.length);
      const text = isLast ? stops.textOf(ids) : stops.settledTextOf(ids);
      const tokens = tokensOf(model, [id]);
      const [token = ''] = copying?.tokens(tokens) ?? tokens;
      const place = length - 1;
      const top = tops && best ? { topLogprobs: tops.topLogprobsAt(model, best, place) } : {};
      yield { token, id, text: increment.push(text), score: best?.tokenScores[place] ?? 0, ...top };
      if (hasStopped) return;
    }
    count = generated.length;
  }
}
