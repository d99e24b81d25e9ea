/** One line of numbers as a curve on a canvas. */

import { colour, onSchemeChange } from '../../drawing/colours.js';
import { make } from '../../drawing/dom.js';
import { sized } from '../../drawing/sized.js';
import { onWidthChange } from '../../drawing/width.js';
import { figures } from '../../reading/figures.js';

export interface CurveData {
  readonly values: readonly number[];
  readonly name: string;
}

const height = 160;
/** Room for `−0.999` at the left. */
const edge = 50;

export class Curve {
  readonly element: HTMLElement;
  readonly #canvas = make('canvas', { role: 'img' });
  #data: CurveData | null = null;

  constructor() {
    this.element = make('div', { class: 'curve' }, this.#canvas);
    onWidthChange(this.element, () => this.#draw());
    onSchemeChange(() => this.#draw());
  }

  show(data: CurveData): void {
    this.#data = data;
    this.#canvas.setAttribute('aria-label', data.name);
    this.#draw();
  }

  #draw(): void {
    const width = Math.floor(this.element.clientWidth);
    if (!this.#data || width === 0) return;
    const { values } = this.#data;
    const context = this.#canvas.getContext('2d') as CanvasRenderingContext2D;
    sized(this.#canvas, context, [width, height]);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const x = (i: number) => edge + (i / Math.max(1, values.length - 1)) * (width - edge - 8);
    const y = (value: number) => 8 + ((high - value) / Math.max(1e-9, high - low)) * (height - 32);
    context.strokeStyle = colour('--line');
    context.fillStyle = colour('--ink-soft');
    context.font = `12px ${getComputedStyle(this.element).fontFamily}`;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const value of new Set([low, 0, high])) {
      context.beginPath();
      context.moveTo(edge, y(value));
      context.lineTo(width - 8, y(value));
      context.stroke();
      context.fillText(figures(value), edge - 6, y(value));
    }
    context.textAlign = 'left';
    context.fillText('0', edge, height - 8);
    context.textAlign = 'right';
    context.fillText(`${values.length - 1}`, width - 8, height - 8);
    context.strokeStyle = colour('--ink');
    context.lineWidth = 2;
    context.beginPath();
    for (const [i, value] of values.entries()) context.lineTo(x(i), y(value));
    context.stroke();
  }
}
