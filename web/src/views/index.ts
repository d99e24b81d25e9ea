/** The views below the stage, in the order in which a reader meets them. Their code is loaded when they come near. */

import type { View } from '../view.js';

export const views: readonly View[] = [
  {
    id: 'heads',
    link: 'Heads',
    claim: 'Every head looks in its own way',
    text: 'Each layer looks several times at once, each time with other weights. Choose a head to see it large; the mean of all heads hides what each of them does.',
    load: () => import('./heads.js'),
  },
];
