/** Which half of the model BERT and GPT keep, and which words each may see. */

import type { Part } from '../../page/view.js';

export type Half = 'BERT' | 'GPT';

/** The parts that a half has; the rest is left out. */
export const kept: Readonly<Record<Half, readonly Part[]>> = {
  BERT: ['words', 'positions', 'encoder-attention', 'encoder-feed-forward', 'softmax'],
  GPT: ['words', 'positions', 'decoder-attention', 'decoder-feed-forward', 'softmax'],
};

/** Whether the word in a place may be read while the one in another is guessed: a gap sees both sides, what comes next only what was. */
export const maySee = (half: Half, guessed: number, place: number): boolean =>
  half === 'BERT' ? place !== guessed : place < guessed;

/** How many words are read while one is guessed. */
export const countOf = (half: Half, guessed: number, words: number): number =>
  Array.from({ length: words }, (_, place) => maySee(half, guessed, place)).filter(Boolean).length;
