/** An encoder layer and a decoder layer as boxes to open: their parts in the order in which a vector passes them. */

import { make } from '../../drawing/dom.js';
import type { NormPlace } from './depth.js';

interface Part {
  readonly name: string;
  readonly formula: string;
  /** A class of the style sheet. */
  readonly look: 'sublayer' | 'norm' | 'sum';
}

const norm: Part = { name: 'norm', formula: '(x − mean) ÷ deviation × γ + β', look: 'norm' };
const sum: Part = { name: '+', formula: 'what came in is added', look: 'sum' };
const sublayer = (name: string, formula: string): Part => ({ name, formula, look: 'sublayer' });

const selfAttention = sublayer('self-attention', 'MultiHead(x, x, x)');
const masked = sublayer('masked self-attention', 'MultiHead(x, x, x), nothing that follows');
const cross = sublayer('cross-attention', 'MultiHead(x, memory, memory)');
const feedForward = sublayer('feed-forward', 'max(0, x W₁ + b₁) W₂ + b₂');

const layers = {
  'An encoder layer': [selfAttention, feedForward],
  'A decoder layer': [masked, cross, feedForward],
} as const;

/** Around each sub-layer stand a norm and a sum: the norm after the sum, or before the sub-layer. */
export const partsOf = (sublayers: readonly Part[], place: NormPlace): Part[] =>
  sublayers.flatMap((one) => (place === 'post' ? [one, sum, norm] : [norm, one, sum]));

export function layerBoxes(place: NormPlace): HTMLElement {
  return make(
    'div',
    { class: 'boxes' },
    ...Object.entries(layers).map(([title, sublayers]) =>
      make(
        'details',
        { open: true },
        make('summary', {}, title),
        make('ol', {}, ...partsOf(sublayers, place).map(boxOf)),
      ),
    ),
  );
}

const boxOf = ({ name, formula, look }: Part) =>
  make('li', { class: look }, make('b', {}, name), ' ', make('span', { class: 'formula' }, formula));
