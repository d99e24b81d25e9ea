/** The icons of what can be done with a figure, in lines of the text's colour. */

import { node } from '../drawing/svg.js';

const outlines = {
  table: 'M3 4h14v12H3zM3 8h14M3 12h14M8 4v12',
  code: 'M7 5 2.5 10 7 15M13 5l4.5 5L13 15',
  link: 'M8.5 11.5a3 3 0 0 0 4.2 0l3-3a3 3 0 0 0-4.2-4.2l-1 1M11.5 8.5a3 3 0 0 0-4.2 0l-3 3a3 3 0 0 0 4.2 4.2l1-1',
  picture: 'M10 3v9M6.5 8.5 10 12l3.5-3.5M3 14v3h14v-3',
  sheet: 'M7.2 7.3a2.8 2.8 0 1 1 4 2.5c-.8.4-1.2 1-1.2 1.9M10 14.6v.2M10 2a8 8 0 1 0 0 16 8 8 0 0 0 0-16',
} as const;

export const icon = (name: keyof typeof outlines): SVGElement =>
  node(
    'svg',
    { class: 'icon', viewBox: '0 0 20 20', width: 20, height: 20, 'aria-hidden': 'true' },
    node('path', { d: outlines[name] }),
  );
