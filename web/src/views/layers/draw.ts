/** The way of a token through the layers as boxes, and the two places of the norm beside each other. */

import { make } from '../../drawing/dom.js';
import { paintPixels } from '../../drawing/pixels.js';
import { frenchWord } from '../../page/french_word.js';
import { figures } from '../../reading/figures.js';
import { percent } from '../../reading/tokens.js';
import { words } from '../../words/words.js';
import { layerBoxes } from './boxes.js';
import type { NormPlace } from './depth.js';
import type { LayerWay, Stack, Step } from './way.js';

/** @param closed the titles of the boxes that the visitor has closed */
export function boxOf({ layer, steps, says }: LayerWay, stack: Stack, closed: Set<string>): HTMLElement {
  const title = layer === 0 ? words.layers.before : words.layers.titleOf[stack](layer);
  const said = says.flatMap(({ label, probability }, i) => [
    i === 0 ? words.layers.wouldSay : words.marks.comma,
    frenchWord(label),
    ` ${percent(probability)}`,
  ]);
  const box = make(
    'details',
    { open: !closed.has(title) },
    make('summary', {}, title, ...(said.length > 0 ? [make('span', { class: 'says' }, ...said)] : [])),
    make('div', { class: 'steps' }, ...steps.map(stepOf)),
  );
  box.addEventListener('toggle', () => (box.open ? closed.delete(title) : closed.add(title)));
  return box;
}

function stepOf({ name, vector, length, moved }: Step): HTMLElement {
  const canvas = make('canvas');
  paintPixels(canvas, { values: vector, rows: 1, columns: vector.length, scale: 'signed', limit: 2.5 });
  const bar = make('span', { class: 'moved', title: words.layers.moved(figures(moved)) });
  bar.style.setProperty('--share', `${Math.min(1, moved / 20)}`);
  return make(
    'div',
    { class: 'step' },
    make('span', {}, name),
    canvas,
    make('span', { class: 'length' }, length > 0 ? `‖x‖ ${figures(length)}` : '–'),
    bar,
  );
}

const titles: Record<NormPlace, string> = {
  post: words.layers.postNorm,
  pre: words.layers.preNorm,
};

/** Post-norm and pre-norm beside each other: the order of the parts, and what becomes of the vectors. */
export function drawDepths(all: Readonly<Record<NormPlace, readonly number[]>>): HTMLElement[] {
  const most = Math.max(...all.post, ...all.pre) || 1;
  return (['post', 'pre'] as const).map((place) =>
    make(
      'div',
      {},
      make('h3', {}, titles[place]),
      layerBoxes(place),
      make('p', { class: 'note' }, words.layers.depths),
      make('ol', { class: 'depth' }, ...all[place].map((length, i) => depthRow(i + 1, length, most))),
    ),
  );
}

function depthRow(layer: number, length: number, most: number): HTMLElement {
  const bar = make('span', { class: 'share', 'aria-hidden': 'true' });
  bar.style.setProperty('--share', `${length / most}`);
  return make(
    'li',
    {},
    make('span', {}, `${layer}`),
    bar,
    make('span', { class: 'number' }, length > 0 ? figures(length) : '–'),
  );
}
