/** What each written word needed: the log-probability that it loses when a source token is masked out of the model's sight. */

import type { Model } from 'transformer-wasm';
import { headsOff, type Kind } from '../selection/heads.js';
import type { Selection } from '../selection/selection.js';
import { breathe, isOutOfBreath } from './breath.js';
import { softmaxOf } from './largest.js';
import { lookedAt } from './looks.js';
import { chosenWord, type Needs, type Reading } from './reading.js';

/** Logits of one batch, at most: 16 MB of them, which the collector takes away without a long pause. */
const mostLogits = 4e6;

const known = new WeakMap<Reading, Promise<Needs>>();

/**
 * Reads the sentence once more without each of its tokens, as one batch. The words that were written stay the same.
 *
 * @returns `null` where nothing is read but what is written, and for a recurrent model, which reads every token on its way
 */
export function needsOf(model: Model, reading: Reading): Promise<Needs> | null {
  if (reading.stacks !== 'both' || reading.isRecurrent) return null;
  if (reading.needs) return Promise.resolve(reading.needs);
  const needs = known.get(reading) ?? measure(model, reading);
  known.set(reading, needs);
  // What failed, perhaps with a model that was freed, is asked for again.
  needs.catch(() => known.delete(reading));
  return needs;
}

/**
 * What the weights of a query can be compared with. From French to English: what this French word needed. Within the
 * English, a query writes nothing itself: the word that the chosen French word looked at is compared with what that one
 * needed, any other with nothing.
 *
 * @param needs `null` until they are measured
 * @returns a loss for each source token, or `pending`; `null` where there is no cause to compare with
 */
export function comparedWith(
  reading: Reading,
  needs: Needs | null,
  { kind, query, selection }: { readonly kind: Kind; readonly query: number; readonly selection: Chosen },
): readonly number[] | 'pending' | null {
  if (kind === 'decoder' || reading.stacks !== 'both' || reading.isRecurrent) return null;
  if (kind === 'encoder' && query !== chosenSource(reading, selection)) return null;
  if (!needs) return 'pending';
  return needs[kind === 'cross' ? query : chosenWord(reading, selection.word)] ?? null;
}

/** The English word that the page is about: the one that the chosen French word looked at most. */
export const chosenSource = (reading: Reading, { look, word }: Chosen): number =>
  lookedAt(reading, look, chosenWord(reading, word)) ?? 0;

type Chosen = Pick<Selection, 'look' | 'word'>;

async function measure(model: Model, reading: Reading): Promise<Needs> {
  const whole = await logProbabilities(model, reading, [null]);
  const tokens = [...reading.source.keys()];
  const size = reading.written.length * Math.max(1, whole.vocabulary);
  const atOnce = Math.max(1, Math.floor(mostLogits / size));
  const without: number[][] = [];
  for (let begin = 0; begin < tokens.length; begin += atOnce) {
    const { rows } = await logProbabilities(model, reading, tokens.slice(begin, begin + atOnce));
    without.push(...rows);
  }
  return reading.written.map((_, place) =>
    tokens.map((token) => (whole.rows[0]?.[place] ?? 0) - (without[token]?.[place] ?? 0)),
  );
}

/** The log-probability of each written token, in a row for each of the tokens that are masked; `null`: none is. */
async function logProbabilities(model: Model, reading: Reading, masked: readonly (number | null)[]) {
  const { inputIds, ids, off } = reading;
  const { logits } = await model.forward(
    {
      inputIds: masked.map(() => [...inputIds]),
      decoderInputIds: masked.map(() => ids.slice(0, -1)),
      attentionMask: masked.map((token) => inputIds.map((_, i) => Number(i !== token))),
    },
    { heads: headsOff(off) },
  );
  const [, time = 0, vocabulary = 0] = logits?.shape ?? [];
  const rows: number[][] = [];
  for (const row of masked.keys()) {
    const own: number[] = [];
    for (const [place, id] of ids.slice(1).entries()) {
      const at = (row * time + place) * vocabulary;
      const scores = logits?.data.subarray(at, at + vocabulary) ?? new Float32Array();
      own.push(Math.log(softmaxOf(scores)(id)));
      if (isOutOfBreath()) await breathe();
    }
    rows.push(own);
  }
  return { rows, vocabulary };
}
