/** The picture as the model sees it, and the classes that it answers with. */

import { cssColour, shadeOf } from '../../drawing/colours.js';
import { make } from '../../drawing/dom.js';
import { percent } from '../../reading/tokens.js';
import type { PatchGrid } from './compute.js';

/** A picture, its patches, and over each the colour of its weight. */
export function paintSeen(
  canvas: HTMLCanvasElement,
  image: ImageData,
  weights: readonly number[],
  { rows, columns }: PatchGrid,
): void {
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  const small = new OffscreenCanvas(image.width, image.height);
  small.getContext('2d')?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.globalAlpha = 1;
  context.drawImage(small, 0, 0, canvas.width, canvas.height);
  const [width, height] = [canvas.width / columns, canvas.height / rows];
  const strongest = Math.max(1e-9, ...weights);
  for (const [i, weight] of weights.entries()) {
    const [x, y] = [(i % columns) * width, Math.floor(i / columns) * height];
    context.globalAlpha = 0.75 * shadeOf(weight / strongest);
    context.fillStyle = cssColour('weight', 1);
    context.fillRect(x, y, width, height);
    context.globalAlpha = 0.5;
    context.strokeStyle = '#888';
    context.strokeRect(x + 0.5, y + 0.5, width, height);
  }
}

/** The ten digits with their probabilities as bars. */
export function showClasses(list: HTMLElement, probabilities: ArrayLike<number>): void {
  const values = Array.from(probabilities);
  const best = Math.max(...values);
  list.replaceChildren(
    ...values.map((probability, digit) => {
      const bar = make('span', { class: 'bar-of-class' });
      bar.style.setProperty('width', `${probability * 100}%`);
      const item = make(
        'li',
        {},
        make('b', {}, `${digit}`),
        make('span', { class: 'track' }, bar),
        percent(probability),
      );
      item.classList.toggle('best', probability === best);
      return item;
    }),
  );
}
