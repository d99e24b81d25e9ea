/** What each written word needed: the log-probability that it loses when a source token is masked out of the model's sight. */

import type { Model } from 'transformer-wasm';
import { headsOff } from '../selection/heads.js';
import { softmaxOf } from './largest.js';
import type { Needs, Reading } from './reading.js';

/** Logits of one batch, at most: 64 MB of them. */
const mostLogits = 16e6;

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
  const rows = masked.map((_, row) =>
    ids.slice(1).map((id, place) => {
      const at = (row * time + place) * vocabulary;
      const scores = logits?.data.subarray(at, at + vocabulary) ?? new Float32Array();
      return Math.log(softmaxOf(scores)(id));
    }),
  );
  return { rows, vocabulary };
}
