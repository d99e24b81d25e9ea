/** The colour scale of a heat map. */

import { make } from '../dom.js';
import { shadeOf } from '../shades.js';

const marks = [0, 10, 25, 50, 100];

export function legend(): HTMLElement {
  const labels = marks.map((mark) => {
    const label = make('span', {}, mark === 100 ? '100 %' : `${mark}`);
    label.style.setProperty('--place', `${shadeOf(mark / 100)}`);
    return label;
  });
  return make(
    'div',
    {
      class: 'legend',
      role: 'img',
      'aria-label': 'Colour scale: the more attention, the darker the colour, or the lighter on a dark page',
    },
    make('span', { class: 'bar' }),
    make('span', { class: 'marks' }, ...labels),
  );
}
