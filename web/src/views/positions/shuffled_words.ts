/** The words of the sentence in another order, and how far each of them moved. */

import { make } from '../../drawing/dom.js';
import type { Shuffled } from './shuffle.js';

export function drawShuffle(
  { order, withPositions, without }: Shuffled,
  tokens: readonly { readonly label: string }[],
  translation: string,
): HTMLElement[] {
  const shows = (moved: number) => moved >= 0.0005;
  const [moved, still] = [withPositions.filter(shows).length, without.some(shows)];
  const items = order.map((at) =>
    make(
      'li',
      {},
      tokens[at]?.label ?? '',
      make('span', { class: 'moved' }, (withPositions[at] ?? 0).toFixed(3)),
      make('span', { class: 'stays' }, (without[at] ?? 0).toFixed(3)),
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
      `${still ? 'Without positions only rounding moves' : 'Without positions nothing moves'}: attention sees a bag of words. With them, ${moved} of ${withPositions.length} tokens get another output. Of this order the model makes “${translation}”`,
    ),
  ];
}
