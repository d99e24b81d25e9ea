/** The views below the stage, in the order in which a reader meets them. Their code is loaded when they come near. */

import type { View } from '../view.js';

export const views: readonly View[] = [
  {
    id: 'heads',
    link: 'Heads',
    claim: 'Every head looks in its own way',
    text: 'Each layer looks several times at once, each time with other weights. Choose a head to see it large; the mean of all heads hides what each of them does.',
    load: () => import('./heads/heads.js'),
  },
  {
    id: 'layers',
    link: 'Layers',
    claim: 'Each layer adds to what a word means',
    text: 'A word is a vector. Attention adds what it found elsewhere, the feed-forward step what it makes of that; after each layer one can ask what the decoder would say.',
    load: () => import('./layers/layers.js'),
  },
];
