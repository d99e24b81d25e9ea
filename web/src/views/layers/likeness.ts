/** How alike a vector still is to what it began as, after each step, and what the decoder would say there: one curve. */

import { centre } from '../../drawing/centred.js';
import { make } from '../../drawing/dom.js';
import { paintPixels } from '../../drawing/pixels.js';
import { node } from '../../drawing/svg.js';
import { onWidthChange } from '../../drawing/width.js';
import { frenchWord } from '../../page/french_word.js';
import { percent } from '../../reading/tokens.js';
import { decimals } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import { type LayerWay, likenessOf, type Step } from './way.js';

const height = 260;
const edges = { left: 56, right: 40, top: 28, bottom: 36 };

interface Point {
  readonly step: Step;
  readonly name: string;
  readonly likeness: number;
  /** What the decoder would say after the layer that ends here. */
  readonly says: LayerWay['says'];
}

export class Likeness {
  readonly element: HTMLElement;
  readonly #svg = node('svg', { class: 'likeness-curve', role: 'img' });
  readonly #steps = make('div', { class: 'likeness-steps', role: 'group', 'aria-label': words.layers.steps });
  readonly #cells = make('canvas', { 'aria-hidden': 'true' });
  readonly #said = make('p', { class: 'likeness-said', 'aria-live': 'polite' });
  #points: readonly Point[] = [];
  #chosen = 0;

  constructor() {
    this.element = make('div', { class: 'likeness' }, this.#svg, this.#steps, this.#cells, this.#said);
    onWidthChange(this.element, () => this.#draw());
  }

  /** @param layers the way of a token; empty vectors: it is not known yet */
  show(layers: readonly LayerWay[]): void {
    const first = layers[0]?.steps[0]?.vector ?? new Float32Array();
    this.#points = layers.flatMap(({ layer, steps, says }) =>
      steps.map((step, i) => ({
        step,
        name: layer === 0 ? step.name : words.layers.step(layer, step.name),
        likeness: likenessOf(step.vector, first),
        says: i === steps.length - 1 ? says : [],
      })),
    );
    this.#chosen = this.#points.length - 1;
    this.element.classList.toggle('unknown', first.length === 0);
    this.#svg.setAttribute('aria-label', words.layers.likeness);
    this.#draw();
  }

  #choose(at: number): void {
    const from = this.#points[this.#chosen]?.step.vector;
    this.#chosen = at;
    this.#mark();
    this.#morph(from ?? new Float32Array());
  }

  #draw(): void {
    const width = Math.floor(this.element.clientWidth);
    if (width === 0 || this.#points.length === 0) return;
    const x = (i: number) =>
      edges.left + (i / Math.max(1, this.#points.length - 1)) * (width - edges.left - edges.right);
    const y = (value: number) => edges.top + (1 - value) * (height - edges.top - edges.bottom);
    this.#svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.#svg.setAttribute('height', `${height}`);
    const line = this.#points.map(({ likeness }, i) => `${x(i)},${y(likeness)}`).join(' ');
    this.#svg.replaceChildren(
      ...[1, 0.5, 0].flatMap((value) => [
        node('line', { class: 'rule', x1: edges.left, x2: width - edges.right, y1: y(value), y2: y(value) }),
        node('text', { class: 'scale', x: edges.left - 12, y: y(value) }, decimals(value.toFixed(1))),
      ]),
      node('polyline', { points: line }),
      ...this.#points.flatMap(({ likeness }, i) => [
        node('circle', { cx: x(i), cy: y(likeness), r: 6, 'data-step': i }),
        node('text', { class: 'value', x: x(i), y: y(likeness) - 14 }, decimals(likeness.toFixed(2))),
      ]),
    );
    this.#steps.replaceChildren(...this.#points.map((point, i) => this.#button(point, i)));
    this.#mark();
    this.#paint(this.#points[this.#chosen]?.step.vector ?? new Float32Array());
  }

  #button({ step: { name }, says }: Point, at: number): HTMLElement {
    const [best] = says;
    const button = make(
      'button',
      { type: 'button' },
      name,
      ...(best
        ? [
            make(
              'span',
              { class: 'says' },
              words.layers.wouldSay,
              frenchWord(best.label),
              ` ${percent(best.probability)}`,
            ),
          ]
        : []),
    );
    button.addEventListener('click', () => this.#choose(at));
    return button;
  }

  #mark(): void {
    for (const [i, button] of [...this.#steps.children].entries())
      button.setAttribute('aria-pressed', `${i === this.#chosen}`);
    centre(this.#steps, this.#steps.children[this.#chosen]);
    for (const circle of this.#svg.querySelectorAll('circle'))
      circle.classList.toggle('chosen', Number(circle.dataset.step) === this.#chosen);
    const point = this.#points[this.#chosen];
    this.#said.textContent = point ? words.layers.alike(point.name, decimals(point.likeness.toFixed(2))) : '';
  }

  /** The cells turn from one vector into the other; at once where motion is to be reduced. */
  #morph(from: Float32Array): void {
    const to = this.#points[this.#chosen]?.step.vector ?? new Float32Array();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches || from.length !== to.length) {
      this.#paint(to);
      return;
    }
    const begin = performance.now();
    const frame = (now: number) => {
      if (this.#points[this.#chosen]?.step.vector !== to) return;
      const share = Math.min(1, Math.max(0, (now - begin) / 320));
      this.#paint(to.map((value, i) => (from[i] ?? 0) + share * (value - (from[i] ?? 0))));
      if (share < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  #paint(values: Float32Array): void {
    if (values.length > 0)
      paintPixels(this.#cells, { values, rows: 1, columns: values.length, scale: 'signed', limit: 2.5 });
  }
}
