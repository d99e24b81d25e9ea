/** The words of the sentence in another order, and how far each of them moved. */

import { make } from '../../drawing/dom.js';
import { figures } from '../../reading/figures.js';
import type { Shuffled } from './shuffle.js';

/** Sums of float32 numbers in another order differ by less. */
const rounding = 0.0005;

const moves = (distance: number) => distance >= rounding;

/** What the distances say. */
export function saidOf({ withPositions, without }: Omit<Shuffled, 'order'>, translation: string): string {
  const [moved, strays] = [withPositions.filter(moves).length, without.filter(moves).length];
  const bag =
    strays === 0
      ? 'Without positions, each word gets what it got before: attention sees a bag of words'
      : `Without positions, ${strays} of ${without.length} tokens get another output`;
  return `${bag}. With them, ${moved} of ${withPositions.length} get another output. Of this order the model makes “${translation}”`;
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
      'My words, shuffled: how far the attention’s output for each word moves, ',
      make('span', { class: 'moved' }, 'with positions'),
      ' and ',
      make('span', { class: 'stays' }, 'without'),
    ),
    make('ol', {}, ...items),
    make(
      'p',
      { class: 'spoken' },
      ...(translation === undefined ? [] : [saidOf({ withPositions, without }, translation)]),
    ),
  ];
}
