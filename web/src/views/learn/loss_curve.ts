/** The loss of each step, and the share of answers that are right, over the steps that there will be. */

import { colour, onSchemeChange } from '../../drawing/colours.js';
import { make } from '../../drawing/dom.js';
import { sized } from '../../drawing/sized.js';
import { onWidthChange } from '../../drawing/width.js';
import { learnWords } from '../../words/learn_words.js';
import { decimals, grouped, percentSign } from '../../words/numbers.js';

export interface CurveData {
  readonly losses: readonly number[];
  /** From 0 to 1. */
  readonly shares: readonly { readonly step: number; readonly share: number }[];
  /** All steps. */
  readonly steps: number;
  /** The step that the reader looks at. */
  readonly at: number;
}

const height = 200;
/** Room for numbers at the left, at the right, above and below. */
const [left, right, top, bottom] = [34, 48, 26, 24];

interface Axes {
  readonly x: (step: number) => number;
  readonly y: (share: number) => number;
  readonly width: number;
}

export class LossCurve {
  readonly element: HTMLElement;
  readonly #canvas = make('canvas', { role: 'img' });
  #data: CurveData | null = null;
  #width = 0;
  #family = 'sans-serif';
  #colours = { line: '', soft: '', ink: '' };

  constructor() {
    this.element = make('div', { class: 'loss-curve' }, this.#canvas);
    onWidthChange(this.element, (width) => {
      this.#width = width;
      this.#restyle();
    });
    onSchemeChange(() => this.#restyle());
  }

  /** Draws at once: to be called at most once a frame. */
  show(data: CurveData, name: string): void {
    this.#data = data;
    this.#canvas.setAttribute('aria-label', name);
    this.#draw();
  }

  /** What must be asked of the browser, which lays the page out for it: not in each frame. */
  #restyle(): void {
    this.#family = getComputedStyle(this.element).fontFamily;
    this.#colours = {
      line: colour('--line'),
      soft: colour('--ink-soft'),
      ink: colour('--ink'),
    };
    this.#draw();
  }

  #draw(): void {
    const [data, width] = [this.#data, this.#width];
    if (!data || width === 0) return;
    const context = this.#canvas.getContext('2d') as CanvasRenderingContext2D;
    sized(this.#canvas, context, [width, height]);
    const axes: Axes = {
      width,
      x: (step) => left + (step / data.steps) * (width - left - right),
      y: (share) => height - bottom - share * (height - top - bottom),
    };
    const most = Math.max(1, Math.ceil(data.losses.reduce((a, b) => Math.max(a, b), 0)));
    this.#drawAxes(context, axes, { most, steps: data.steps });
    this.#drawLines(context, axes, data, most);
  }

  #drawAxes(context: CanvasRenderingContext2D, { y, width }: Axes, ends: { most: number; steps: number }) {
    const { line, soft, ink } = this.#colours;
    context.font = `12px ${this.#family}`;
    context.textBaseline = 'middle';
    context.strokeStyle = line;
    for (const share of [0, 0.5, 1]) {
      context.beginPath();
      context.moveTo(left, y(share));
      context.lineTo(width - right, y(share));
      context.stroke();
      context.fillStyle = ink;
      context.textAlign = 'right';
      context.fillText(decimals(`${share * ends.most}`), left - 6, y(share));
      context.fillStyle = soft;
      context.textAlign = 'left';
      context.fillText(`${share * 100}${percentSign}`, width - right + 6, y(share));
    }
    context.textAlign = 'right';
    context.fillStyle = soft;
    context.fillText(learnWords.rightAxis, width, 8);
    context.fillStyle = ink;
    context.textAlign = 'left';
    context.fillText(learnWords.loss, 0, 8);
    context.fillStyle = soft;
    context.fillText('0', left, height - 8);
    context.textAlign = 'right';
    context.fillText(learnWords.steps(grouped(ends.steps)), width - right, height - 8);
  }

  #drawLines(context: CanvasRenderingContext2D, { x, y }: Axes, data: CurveData, most: number): void {
    const { line, soft, ink } = this.#colours;
    context.lineJoin = 'round';
    context.strokeStyle = line;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x(data.at), y(0));
    context.lineTo(x(data.at), y(1));
    context.stroke();
    context.strokeStyle = soft;
    context.setLineDash([6, 4]);
    context.beginPath();
    for (const { step, share } of data.shares) context.lineTo(x(step), y(share));
    context.stroke();
    context.setLineDash([]);
    context.strokeStyle = ink;
    context.beginPath();
    for (const [i, loss] of data.losses.entries()) context.lineTo(x(i + 1), y(loss / most));
    context.stroke();
  }
}
