/** The words of the loom: the English ones with two bars each, the French ones with their marks. */

import { make } from '../drawing/dom.js';
import type { Reading } from '../reading/reading.js';
import { pronounOf } from '../reading/swaps.js';
import { tokenClass } from '../reading/tokens.js';
import { decimals, percentSign } from '../words/numbers.js';
import { markOf } from './marks.js';
import { type Piece, piecesOf } from './spacing.js';

const slot = ({ isGlued }: Piece, ...children: HTMLElement[]) =>
  make('span', { class: isGlued ? 'slot glued' : 'slot' }, ...children);

/** The English words, with a place for the two bars. @param onClick called with the token's index; without it, they are no buttons */
export function englishWords({ text, source }: Reading, onClick?: (token: number) => void): HTMLElement[] {
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
    const bars = ['looked', 'needed'].map((name) => make('span', { class: `word-bar ${name}` }));
    return slot(piece, word, make('span', { class: 'word-bars', 'aria-hidden': 'true' }, ...bars));
  });
}

/** The French words, each a button. @param onClick called with the token's index */
export function frenchWords(reading: Reading, onClick: (token: number) => void): HTMLElement[] {
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
    const word = make(
      'button',
      { class: classes.filter(Boolean).join(' '), type: 'button', 'data-index': i },
      token.isSpecial ? token.label : piece.text,
    );
    word.addEventListener('click', () => onClick(i));
    return slot(piece, word);
  });
}

/** Shades the bars of the English words; each says its number where colours do not. */
export function shadeBars(
  slots: readonly Element[],
  rows: { readonly looked: ArrayLike<number> | null; readonly needed: ArrayLike<number> | null },
): void {
  // A word that needs little of anything has pale bars: what is full is a loss of one at least.
  const most = Math.max(1, ...Array.from(rows.needed ?? []));
  for (const [i, element] of slots.entries()) {
    const shade = (name: string, share: number, text: string) => {
      const bar = element.querySelector<HTMLElement>(`.${name}`);
      bar?.style.setProperty('--share', Math.sqrt(Math.min(1, Math.max(0, share))).toFixed(3));
      bar?.setAttribute('data-number', text);
    };
    const [looked, needed] = [rows.looked?.[i] ?? 0, rows.needed?.[i] ?? 0];
    shade('looked', looked, rows.looked ? `${Math.round(looked * 100)}${percentSign}` : '');
    shade(
      'needed',
      needed < 0.01 ? 0 : needed / most,
      rows.needed ? decimals(needed.toFixed(2).replace('-', '−')) : '',
    );
  }
}
