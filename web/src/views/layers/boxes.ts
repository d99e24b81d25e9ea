/** An encoder layer and a decoder layer as boxes to open: their parts in the order in which a vector passes them. */

import { make } from '../../drawing/dom.js';
import { words } from '../../words/words.js';
import type { NormPlace } from './depth.js';

interface Part {
  readonly name: string;
  readonly formula: string;
  /** A class of the style sheet. */
  readonly look: 'sublayer' | 'norm' | 'sum';
}

const norm: Part = { name: words.layers.norm, formula: words.layers.normFormula, look: 'norm' };
const sum: Part = { name: '+', formula: words.layers.sum, look: 'sum' };
const sublayer = (name: string, formula: string): Part => ({ name, formula, look: 'sublayer' });

const selfAttention = sublayer(words.tour.selfAttention, 'MultiHead(x, x, x)');
const masked = sublayer(
  words.tour.maskedSelfAttention,
  `MultiHead(x, x, x), ${words.layers.nothingThatFollows}`,
);
const cross = sublayer(words.tour.crossAttention, 'MultiHead(x, memory, memory)');
const feedForward = sublayer(words.tour.feedForward, 'max(0, x W₁ + b₁) W₂ + b₂');

const layers = {
  encoder: [selfAttention, feedForward],
  decoder: [masked, cross, feedForward],
} as const;

/** Around each sub-layer stand a norm and a sum: the norm after the sum, or before the sub-layer. */
export const partsOf = (sublayers: readonly Part[], place: NormPlace): Part[] =>
  sublayers.flatMap((one) => (place === 'post' ? [one, sum, norm] : [norm, one, sum]));

export function layerBoxes(place: NormPlace): HTMLElement {
  return make(
    'div',
    { class: 'boxes' },
    ...(['encoder', 'decoder'] as const).map((stack) =>
      make(
        'details',
        { open: true },
        make('summary', {}, words.layers.aLayer[stack]),
        make('ol', {}, ...partsOf(layers[stack], place).map(boxOf)),
      ),
    ),
  );
}

const boxOf = ({ name, formula, look }: Part) =>
  make('li', { class: look }, make('b', {}, name), ' ', make('span', { class: 'formula' }, formula));
