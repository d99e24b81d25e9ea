/** What becomes of each word's output when the words are shuffled, with positions and without. */

import { type Engine, type Model, Tensor } from 'transformer-wasm';
import { transposed } from '../../reading/matrices.js';
import { integersFrom } from '../../reading/random.js';
import type { Reading } from '../../reading/reading.js';
import { Problem } from '../../words/problem.js';
import { words } from '../../words/words.js';

export interface Shuffled {
  /** Places of the words in the new order. */
  readonly order: readonly number[];
  /** By word of the sentence: how far its output moved, as a length. */
  readonly withPositions: readonly number[];
  readonly without: readonly number[];
}

/** A permutation that is the same for the same seed (Fisher and Yates, with a linear congruential generator). */
export function shuffledOrder(count: number, seed: number): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  const next = integersFrom(seed);
  for (let i = count - 1; i > 0; i--) {
    const j = next() % (i + 1);
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
  return order;
}

/** An order of so many tokens; the last, the end of the sentence, stays where it is. */
export const orderOf = (count: number, seed: number) => [...shuffledOrder(count - 1, seed), count - 1];

/** [count, count]: moves row `from` to each row of `order`. */
const permutation = (order: readonly number[]) =>
  order.map((from) => order.map((_, place) => Number(place === from)));

const identity = (count: number) => permutation(Array.from({ length: count }, (_, i) => i));

/** a + factor · M b, as one product: [I, factor · M] with the rows of a, then those of b. */
function sum(engine: Engine, a: Tensor, { factor, M, b }: { factor: number; M: number[][]; b: Tensor }) {
  const [count = 0, width = 0] = a.shape;
  const both = identity(count).map((row, i) => [...row, ...(M[i] ?? []).map((entry) => factor * entry)]);
  return engine.matmul(both, new Tensor(Float32Array.from([...a.data, ...b.data]), [2 * count, width]));
}

/** The length of each row: the root of its product with itself. */
async function lengths(engine: Engine, x: Tensor): Promise<number[]> {
  const [count = 0] = x.shape;
  const { data } = await engine.matmul(x, transposed(x));
  return Array.from({ length: count }, (_, i) => Math.sqrt(data[i * (count + 1)] ?? 0));
}

/**
 * Lets the model's embeddings of the words attend to each other, in both orders. Each word's output is compared with what
 * the same word got before. The engine computes all of it.
 */
export async function shuffle(
  engine: Engine,
  model: Model,
  reading: Reading,
  seed: number,
): Promise<Shuffled> {
  const { trace = {} } = await model.forward(
    { inputIds: [[...reading.inputIds]], decoderInputIds: [[...reading.ids.slice(0, 1)]] },
    { trace: ['encoder.embeddings'] },
  );
  const embedded = trace['encoder.embeddings'];
  if (!embedded) throw new Problem(words.messages.noEncoder);
  const [, count = 0, width = 0] = embedded.shape;
  const placed = new Tensor(embedded.data, [count, width]);
  const positions = await engine.positionalEncoding(count, width);
  const bare = await sum(engine, placed, { factor: -1, M: identity(count), b: positions });
  const order = orderOf(count, seed);
  const [there, back] = [permutation(order), permutation(inverse(order))];
  const moved = async (before: Tensor, after: Tensor) => {
    const { output: a } = await engine.scaledDotProductAttention(before, before, before);
    const { output: b } = await engine.scaledDotProductAttention(after, after, after);
    return lengths(engine, await sum(engine, a, { factor: -1, M: back, b }));
  };
  const shuffled = await engine.matmul(there, bare);
  return {
    order,
    withPositions: await moved(placed, await sum(engine, positions, { factor: 1, M: there, b: bare })),
    without: await moved(bare, shuffled),
  };
}

function inverse(order: readonly number[]): number[] {
  const places: number[] = [];
  for (const [to, from] of order.entries()) places[from] = to;
  return places;
}
