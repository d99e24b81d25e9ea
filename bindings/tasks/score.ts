/** How probable given texts are, after a prompt. */

import { type Loaded, tokensOf } from '../checkpoint/loaded.js';
import { prepareInput, type TextOrIds, withLanguages } from '../generation/inputs.js';
import { type GenerationOptions, readOptions } from '../generation/options.js';
import { fail } from '../values/errors.js';
import { checkNames, toObject } from '../values/options.js';
import { describe } from '../values/tensor.js';

export interface ScoreOptions extends Pick<GenerationOptions, 'srcLang' | 'tgtLang' | 'signal'> {
  /** The most tokens, with those of the prompt, that are read in one pass. Default: 2048. */
  batchTokens?: number;
}

/** A text and its log-probability. */
export interface ScoredText {
  /** Sum of the `tokenScores`: the natural logarithm of the text's probability. */
  score: number;
  /** Log-probability of each token, given the prompt and the tokens before it. */
  tokenScores: number[];
  ids: number[];
  /** The tokens with these ids; the ids without a tokenizer. */
  tokens: string[];
}

interface Scored {
  readonly source: Int32Array | null;
  readonly prompt: Int32Array;
  readonly text: Int32Array;
}

/** @throws TransformerError; the signal's reason. */
export async function score(
  model: Loaded,
  input: TextOrIds,
  texts: readonly TextOrIds[],
  given: ScoreOptions,
): Promise<ScoredText[]> {
  checkNames(toObject(given, 'options'), ['batchTokens', 'srcLang', 'tgtLang', 'signal'], 'options');
  const { batchTokens = 2048, ...rest } = given;
  if (!Number.isSafeInteger(batchTokens) || batchTokens < 1)
    fail('invalid_argument', `batchTokens must be a positive integer, got ${describe(batchTokens)}`);
  const options = withLanguages(model, readOptions(rest));
  if (!Array.isArray(texts) || texts.length === 0)
    fail('invalid_argument', 'texts must be a list with at least one text');
  const begun = await prepareInput(model, input, options, 'the input');
  const known = begun.text === null ? begun.encoding.ids : { text: begun.text, encoding: begun.encoding };
  const all: Scored[] = [];
  for (const [i, text] of texts.entries()) {
    const own = await prepareInput(model, known, { ...options, prefix: text }, `text ${i + 1}`);
    const { source, promptIds, prefixLength = 0 } = own;
    if (source !== null && !(source instanceof Int32Array))
      return fail('unsupported', 'score takes a text or its token ids as the input');
    if (prefixLength === 0) return fail('invalid_argument', `text ${i + 1} has no tokens`);
    const begin = promptIds.length - prefixLength;
    all.push({ source, prompt: promptIds.slice(0, begin), text: promptIds.slice(begin) });
  }
  const results: ScoredText[] = [];
  for (const batch of batchesOf(all, batchTokens)) {
    options.signal?.throwIfAborted();
    results.push(...(await scoresOf(model, batch)));
    model.checkAlive();
  }
  return results;
}

function batchesOf(all: readonly Scored[], most: number): Scored[][] {
  const batches: Scored[][] = [];
  let tokens = Number.POSITIVE_INFINITY;
  for (const one of all) {
    const own = (one.source?.length ?? 0) + one.prompt.length + one.text.length;
    if (tokens + own > most) {
      batches.push([]);
      tokens = 0;
    }
    batches.at(-1)?.push(one);
    tokens += own;
  }
  return batches;
}

async function scoresOf(model: Loaded, batch: readonly Scored[]): Promise<ScoredText[]> {
  const sources = batch.flatMap(({ source }) => source ?? []);
  const prompts = batch.map(({ prompt }) => prompt);
  const texts = batch.map(({ text }) => text);
  const scored = await model.host.invoke(model.handle, 'score', sources, prompts, texts);
  return scored.map(({ score, ...own }) => {
    const [ids, tokenScores] = [Array.from(own.ids), Array.from(own.tokenScores)];
    return { score, tokenScores, ids, tokens: tokensOf(model, ids) };
  });
}
