/** The honest marks: which French words the reader should not rely on. */

import type { Reading, WrittenToken } from '../reading/reading.js';

/** A French word less probable than this is dotted. */
export const unsure = 0.8;

export type Mark = 'unsure' | 'copied' | null;

/** Dotted: unsure. Wavy: copied because it is not in the vocabulary, or a number that the English does not have. */
export function markOf(reading: Reading, token: WrittenToken, place: number): Mark {
  if (token.isUnknown) return 'copied';
  const number = numberAround(reading.written, place);
  if (number !== '' && !(reading.text.match(/\d+/g) ?? []).some((given) => given === number)) return 'copied';
  return token.probability < unsure ? 'unsure' : null;
}

/** The sentence is only as sure as its words: whether one of them is marked. */
export const isSure = (reading: Reading) =>
  reading.written.every((token, place) => markOf(reading, token, place) === null);

const digits = (token: WrittenToken | undefined) => /^(##)?\d+$/.exec(token?.label ?? '');

/** The whole number that a token is a piece of; '' where it is none. */
function numberAround(written: readonly WrittenToken[], place: number): string {
  if (!digits(written[place])) return '';
  let begin = place;
  while (begin > 0 && written[begin]?.label.startsWith('##') && digits(written[begin - 1])) begin--;
  let end = place + 1;
  while (written[end]?.label.startsWith('##') && digits(written[end])) end++;
  return written
    .slice(begin, end)
    .map(({ label }) => label.replace(/^##/, ''))
    .join('');
}
