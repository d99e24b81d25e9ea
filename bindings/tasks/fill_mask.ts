/** Fills in masked words. */

import type { Loaded } from '../checkpoint/loaded.js';
import { fail } from '../values/errors.js';
import { integerFrom, type ReadersOf, readFields, toBe, toSignal } from '../values/options.js';
import { checkText, cut, inOrder, requireEncoder, roomOf, rowReader, runRows } from './batch_encoder.js';
import { largest, softmax } from './labels.js';
import { specialTokens } from './special_tokens.js';

export interface FillMaskOptions {
  /** How many words to return, best first; default: 5. */
  topK?: number;
  /** The only tokens to choose from. */
  targets?: string[];
  signal?: AbortSignal;
}

export interface FilledMask {
  score: number;
  /** Id of the token. */
  token: number;
  token_str: string;
  /** The text with the word in the place of the mask. */
  sequence: string;
}

const readers = {
  topK: integerFrom(1),
  targets: toBe(
    'a list of words',
    (value): value is string[] =>
      Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string'),
  ),
  signal: toSignal,
} satisfies ReadersOf<FillMaskOptions>;

/**
 * For each text, for each of its masks, the most probable words.
 *
 * @throws TransformerError `invalid_argument` (a text without a mask, an unknown target), `unsupported`; the signal's
 *   reason.
 */
export async function fillMask(
  model: Loaded,
  texts: readonly string[],
  given: FillMaskOptions = {},
): Promise<FilledMask[][][]> {
  const { topK = 5, targets, signal } = readFields(given, readers);
  const tokenizer = requireEncoder(model, 'fill in words');
  const { mask_token: mask = '[MASK]' } = await specialTokens(model.folder, signal);
  const maskId = tokenizer.idOf(mask) ?? fail('unsupported', `the vocabulary has no mask token ${mask}`);
  const chosen = targets?.map(
    (word) => tokenizer.idOf(word) ?? fail('invalid_argument', `'${word}' is not a token of the vocabulary`),
  );
  const read = rowReader(tokenizer, signal);
  const rows = await inOrder(texts, async (text) => {
    const row = cut(await read(checkText(text, 'the text')), roomOf(model));
    if (row.ids.includes(maskId)) return row;
    return fail('invalid_argument', `the text has no ${mask}, the place to fill in: ${JSON.stringify(text)}`);
  });
  const results: FilledMask[][][] = [];
  for await (const { row, vector } of runRows(model, rows, 'logits', signal)) {
    const places = [...row.ids.keys()].filter((token) => row.ids[token] === maskId);
    const ofRow = places.map((place) => {
      const scores = softmax(vector(place));
      const candidates = chosen ?? [...scores.keys()];
      const order = largest(
        candidates.map((id) => scores[id] ?? 0),
        topK,
      ).map((i) => candidates[i] ?? 0);
      return order.map((token) => ({
        score: scores[token] ?? 0,
        token,
        token_str: tokenizer.decode([token], { skipSpecialTokens: false }),
        sequence: tokenizer.decode(
          row.ids.map((id, i) => (i === place ? token : id)),
          // With several masks, the others remain visible.
          { skipSpecialTokens: places.length === 1 },
        ),
      }));
    });
    results.push(ofRow);
  }
  return results;
}
