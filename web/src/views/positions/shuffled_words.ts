/** The words of the sentence in another order, and how far each of them moved. */

import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import { figures } from '../../reading/figures.js';
import { words } from '../../words/words.js';
import type { Shuffled } from './shuffle.js';

/** Sums of float32 numbers in another order differ by less. */
const rounding = 0.0005;

const moves = (distance: number) => distance >= rounding;

/** What the distances say. */
export function saidOf({ withPositions, without }: Omit<Shuffled, 'order'>, translation: string): string {
  const [moved, strays] = [withPositions.filter(moves).length, without.filter(moves).length];
  const bag = strays === 0 ? words.positions.bag : words.positions.strays(strays, without.length);
  return words.positions.said(bag, moved, withPositions.length, translation);
}

/** @param shuffled without distances, and without a translation, until they are known */
export function drawShuffle(
  { order, withPositions = [], without = [] }: Pick<Shuffled, 'order'> & Partial<Shuffled>,
  tokens: readonly { readonly label: string }[],
  translation?: string,
): HTMLElement[] {
  const text = (distance: number | undefined) =>
    distance === undefined ? '–' : moves(distance) ? figures(distance) : '0';
  const items = order.map((at) =>
    make(
      'li',
      {},
      tokens[at]?.label ?? '',
      make('span', { class: 'moved' }, text(withPositions[at])),
      make('span', { class: 'stays' }, text(without[at])),
    ),
  );
  return [
    make(
      'h3',
      {},
      ...filled(words.positions.shuffled, {
        moved: make('span', { class: 'moved' }, words.positions.withPositions),
        stays: make('span', { class: 'stays' }, words.positions.without),
      }),
    ),
    make('ol', {}, ...items),
    make(
      'p',
      { class: 'spoken' },
      ...(translation === undefined ? [] : [saidOf({ withPositions, without }, translation)]),
    ),
  ];
}
