/** What two tiny models of ours guess: one fills a gap from both of its sides, the other goes on from what stands before it. */

import type { Model, Tensor } from 'transformer-wasm';
import { largest, softmaxOf } from '../../reading/largest.js';
import { type Token, tokenOf } from '../../reading/tokens.js';
import type { Half } from './compute.js';

/** The folders of the models. */
export const folders: Readonly<Record<Half, string>> = { BERT: 'en-fill', GPT: 'en-continue' };

/** How many words are shown, and how many are written on at most. */
const shown = 5;
const mostWritten = 24;

/** How many tokens both models have places for. */
const positions = 64;

export interface Guess extends Token {
  readonly probability: number;
}

export interface Guesses {
  /** The likeliest words in the place, best first. */
  readonly best: readonly Guess[];
  /** Of the word that stands there; `null`: the model does not know it. */
  readonly own: number | null;
}

/** A sentence, and where in it the word stands that is guessed: `[begin, end)`. */
export interface Gap {
  readonly text: string;
  readonly span: readonly [begin: number, end: number];
}

/** The tokens of the sentence, and whether each stands in the gap. */
function tokensOf(
  { tokenizer }: Model,
  { text, span: [begin, end] }: Gap,
): { id: number; isInGap: boolean }[] {
  const { ids, offsets } = given(tokenizer).encode(text);
  return ids.map((id, place) => {
    const [from, to] = offsets[place] ?? [0, 0];
    return { id, isInGap: from < end && to > begin };
  });
}

/** Token ids with a mask in place of what stands in the gap. */
export function maskedIds(model: Model, gap: Gap): number[] {
  const mask = given(given(model.tokenizer).idOf('<mask>'));
  return tokensOf(model, gap).flatMap(({ id, isInGap }, place, all) =>
    isInGap ? (all[place - 1]?.isInGap ? [] : [mask]) : [id],
  );
}

/** Token ids of what stands before the gap. */
export const idsBefore = ({ tokenizer }: Model, { text, span }: Gap): number[] => [
  ...given(tokenizer).encode(text.slice(0, span[0])).ids,
];

/** What a model guesses in the gap; `null` where the sentence is longer than it has positions. */
export async function guessesOf(half: Half, model: Model, gap: Gap): Promise<Guesses | null> {
  const ids = half === 'BERT' ? maskedIds(model, gap) : idsBefore(model, gap);
  if (ids.length > positions) return null;
  const { logits } = await model.forward({ inputIds: [ids] });
  const place = half === 'BERT' ? ids.indexOf(given(given(model.tokenizer).idOf('<mask>'))) : ids.length - 1;
  const { data, shape } = given(logits) as Tensor;
  const vocabulary = given(shape[2]);
  const scores = data.subarray(place * vocabulary, (place + 1) * vocabulary) as Float32Array;
  const probabilityOf = softmaxOf(scores);
  const own = ownId(model, gap);
  return {
    best: largest(scores, shown).map((id) => ({
      ...tokenOf(given(model.tokenizer).tokenOf(id) ?? '', 'en'),
      probability: probabilityOf(id),
    })),
    own: own === null ? null : probabilityOf(own),
  };
}

/**
 * What a model writes after what stands before the gap, with the space between them.
 *
 * @param variant 0: always the likeliest next word; else drawn, from this seed
 */
export async function writeOn(
  model: Model,
  gap: Gap,
  { variant, signal }: { readonly variant: number; readonly signal: AbortSignal },
): Promise<string> {
  const ids = idsBefore(model, gap);
  const { sequences } = await model.generate(ids, {
    maxNewTokens: Math.min(mostWritten, positions - ids.length),
    ...(variant > 0 && { doSample: true, seed: variant }),
    signal,
  });
  const [sequence] = sequences;
  const read = given(model.tokenizer).decode(ids).length;
  return sequence ? sequence.text.slice(read) : '';
}

/** The token of the word that stands in the gap; `null` where it is several, or one that the model does not know. */
function ownId(model: Model, gap: Gap): number | null {
  const [first, ...others] = tokensOf(model, gap).filter(({ isInGap }) => isInGap);
  return first && others.length === 0 && first.id !== given(model.tokenizer).unknownId ? first.id : null;
}

function given<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new TypeError('one of the page’s models lacks a part');
  return value;
}
