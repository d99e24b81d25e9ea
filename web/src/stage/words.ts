/** The words of the loom: the English ones underlined where they were needed, the French ones with their marks. */

import { make } from '../drawing/dom.js';
import type { Reading } from '../reading/reading.js';
import { pronounOf } from '../reading/swaps.js';
import { percent, type Token, tokenClass } from '../reading/tokens.js';
import { markOf } from './marks.js';
import { type Piece, piecesOf } from './spacing.js';

const slot = ({ isGlued }: Piece, ...children: HTMLElement[]) =>
  make('span', { class: isGlued ? 'slot glued' : 'slot' }, ...children);

/** The English words, each with a place for its number. @param onClick called with the token's index; without it, they are no buttons */
export function englishWords(
  { text, source }: { readonly text: string; readonly source: readonly Token[] },
  onClick?: (token: number) => void,
): HTMLElement[] {
  const pieces = piecesOf(
    text,
    source.map(({ label }) => label),
  );
  return source.map((token, i) => {
    const piece = pieces[i] as Piece;
    const attributes = { class: `word ${tokenClass(token)}`, 'data-index': i };
    const isButton = onClick && !token.isSpecial;
    const word = isButton
      ? make('button', { ...attributes, type: 'button' }, piece.text)
      : make('span', attributes, token.isSpecial ? token.label : piece.text);
    if (isButton) word.addEventListener('click', () => onClick(i));
    return slot(piece, word, make('span', { class: 'word-number', 'aria-hidden': 'true' }));
  });
}

/** The French words. @param onClick called with the token's index; without it, they are no buttons */
export function frenchWords(reading: Reading, onClick?: (token: number) => void): HTMLElement[] {
  const { written, translation } = reading;
  const pieces = piecesOf(
    translation,
    written.map(({ label }) => label),
  );
  return written.map((token, i) => {
    const pronoun = pronounOf(token.label);
    const mark = markOf(reading, token, i);
    const classes = ['word', tokenClass(token), pronoun && `pronoun ${pronoun}`, mark];
    const piece = pieces[i] as Piece;
    const attributes = { class: classes.filter(Boolean).join(' '), 'data-index': i };
    const text = token.isSpecial ? token.label : piece.text;
    if (!onClick) return slot(piece, make('span', attributes, text));
    const word = make('button', { ...attributes, type: 'button' }, text);
    word.addEventListener('click', () => onClick(i));
    return slot(piece, word);
  });
}

/** Underlines what was needed; the number of what was looked at is for whoever points at a word. */
export function markWords(
  slots: readonly Element[],
  { looked, needed }: { readonly looked: ArrayLike<number> | null; readonly needed: ReadonlySet<number> },
): void {
  for (const [i, element] of slots.entries()) {
    element.classList.toggle('needed', needed.has(i));
    const number = element.querySelector('.word-number');
    const text = looked ? percent(looked[i] ?? 0) : '';
    if (number && number.textContent !== text) number.textContent = text;
  }
}
