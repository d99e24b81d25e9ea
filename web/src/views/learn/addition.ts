/** Two numbers are added as on paper: the lowest digit comes first, so that each carry is known when it is needed. */

import { type Example, endless, type Task, wholeFrom } from './task.js';

const width = 3;
const [plus, equals] = [10, 11];

const digitsOf = (number: number, count: number) =>
  Array.from({ length: count }, (_, place) => Math.floor(number / 10 ** place) % 10);

const exampleOf = (a: number, b: number): Example => ({
  prompt: [...digitsOf(a, width), plus, ...digitsOf(b, width), equals],
  answer: digitsOf(a + b, width + 1),
});

function read(text: string): Example | null {
  const [, a, b] = /^\s*(\d{1,3})\s*\+\s*(\d{1,3})\s*=?\s*$/.exec(text) ?? [];
  return a === undefined || b === undefined ? null : exampleOf(Number(a), Number(b));
}

/** What stands lowest digit first, as a number is written; a sign that is no digit stays where it is. */
const numberOf = (ids: readonly number[]) =>
  ids
    .toReversed()
    .map((id) => addition.tokens[id] ?? '')
    .join('')
    .replace(/^0+(?=\d)/, '');

export const addition: Task = {
  tokens: [...'0123456789', '+', '='],
  config: {
    num_decoder_layers: 1,
    d_model: 64,
    num_heads: 4,
    d_ff: 256,
    vocab_size: 12,
    max_length: 3 * width + 3,
    positions: 'learned',
    norm: 'pre',
    activation: 'relu',
  },
  learningRate: 2e-3,
  steps: 900,
  hasEncoder: false,
  longest: width + 1,
  end: null,
  ...endless(
    (random) => exampleOf(wholeFrom(random, 10 ** width), wholeFrom(random, 10 ** width)),
    exampleOf(487, 356),
    64,
  ),
  read,
  said: numberOf,
  asked: (prompt) => `${numberOf(prompt.slice(0, width))} + ${numberOf(prompt.slice(width + 1, -1))}`,
};
