/** What becomes of each word's output when the words are shuffled, with positions and without. */

import { type Engine, type Model, Tensor } from 'transformer-wasm';
import type { Reading } from '../../reading.js';

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
  let state = seed;
  for (let i = count - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = state % (i + 1);
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
  return order;
}

const permuted = ({ data, shape }: Tensor, order: readonly number[]) => {
  const [, width = 0] = shape;
  return new Tensor(
    Float32Array.from(order.flatMap((row) => [...data.subarray(row * width, (row + 1) * width)])),
    [order.length, width],
  );
};

const plus = (a: Tensor, b: Tensor, sign: 1 | -1) =>
  new Tensor(
    a.data.map((value, i) => value + sign * (b.data[i] ?? 0)),
    [...a.shape],
  );

/**
 * Lets the model's embeddings of the words attend to each other, in both orders. Each word's output is compared with what
 * the same word got before.
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
  if (!embedded) throw new Error('this model has no encoder');
  const [, count = 0, width = 0] = embedded.shape;
  const placed = new Tensor(embedded.data, [count, width]);
  const positions = await engine.positionalEncoding(count, width);
  const words = plus(placed, positions, -1);
  // The end of the sentence stays where it is.
  const order = [...shuffledOrder(count - 1, seed), count - 1];
  const moved = async (before: Tensor, after: Tensor) => {
    const [first, second] = await Promise.all(
      [before, after].map((x) => engine.scaledDotProductAttention(x, x, x)),
    );
    if (!first || !second) return [];
    const back = permuted(second.output, inverse(order));
    const difference = plus(first.output, back, -1).data;
    return Array.from({ length: count }, (_, i) =>
      Math.hypot(...difference.subarray(i * width, (i + 1) * width)),
    );
  };
  return {
    order,
    withPositions: await moved(placed, plus(permuted(words, order), positions, 1)),
    without: await moved(words, permuted(words, order)),
  };
}

function inverse(order: readonly number[]): number[] {
  const places: number[] = [];
  for (const [to, from] of order.entries()) places[from] = to;
  return places;
}
