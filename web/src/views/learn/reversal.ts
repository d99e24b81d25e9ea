/** A word is written backwards. Short ones have blanks before them, so that each letter's mirror image is at a place of its own. */

import { type Example, endless, type Task, wholeFrom } from './task.js';

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const [blank, arrow, end] = [26, 27, 28];
const [shortest, longest] = [2, 8];

const exampleOf = (word: readonly number[]): Example => ({
  prompt: [...Array(longest - word.length).fill(blank), ...word, arrow],
  answer: [...word.toReversed(), end],
});

function read(text: string): Example | null {
  const word = text.trim().toLowerCase();
  if (word.length < shortest || word.length > longest || /[^a-z]/.test(word)) return null;
  return exampleOf([...word].map((letter) => letters.indexOf(letter)));
}

const make = (random: () => number) => {
  const length = shortest + wholeFrom(random, longest - shortest + 1);
  return exampleOf(Array.from({ length }, () => wholeFrom(random, letters.length)));
};

const spelled = (ids: readonly number[]) => ids.map((id) => letters[id] ?? '').join('');

export const reversal: Task = {
  tokens: [...letters, '·', '→', '∎'],
  config: {
    num_decoder_layers: 1,
    d_model: 64,
    num_heads: 1,
    d_ff: 128,
    vocab_size: 29,
    max_length: 2 * longest + 1,
    positions: 'learned',
    norm: 'pre',
    activation: 'relu',
  },
  learningRate: 2e-4,
  steps: 600,
  hasEncoder: false,
  longest: longest + 1,
  end,
  ...endless(make, exampleOf([...'piano'].map((letter) => letters.indexOf(letter))), 16),
  read,
  said: spelled,
  asked: spelled,
};
