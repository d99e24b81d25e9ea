/** French words in what is said: a pronoun wears its colour. */

import { make } from '../drawing/dom.js';
import { pronounOf } from '../reading/swaps.js';

export const frenchWord = (label: string): HTMLElement =>
  make('b', { lang: 'fr', class: `said-word ${pronounOf(label) ?? ''}` }, label);
