/** A square to draw on, with light ink on dark, and the picture that the model gets from it. */

import { Tensor } from 'transformer-wasm';
import { make } from '../../drawing/dom.js';
import { words } from '../../words/words.js';

/** The side of the model's picture, and the part of it that a digit fills, as in training. */
const side = 28;
const filled = 0.72;
const pen = 0.075;

type Stroke = [number, number][];

/** Strokes as text, for the address: points in hundredths of the side, strokes separated by `_`. */
export const formatStrokes = (strokes: readonly Stroke[]) =>
  strokes
    .map((stroke) => stroke.map(([x, y]) => `${Math.round(x * 99)}-${Math.round(y * 99)}`).join('.'))
    .join('_');

export function parseStrokes(text: string): Stroke[] {
  return text.split('_').flatMap((part) => {
    const points = part.split('.').flatMap((pair): Stroke => {
      const [, x, y] = /^(\d{1,2})-(\d{1,2})$/.exec(pair) ?? [];
      return x && y ? [[Number(x) / 99, Number(y) / 99]] : [];
    });
    return points.length > 0 ? [points] : [];
  });
}

export class Drawing {
  readonly element = make('canvas', {
    class: 'drawing',
    width: 280,
    height: 280,
    role: 'img',
    'aria-label': words.pictures.square,
  });
  #strokes: Stroke[] = [];

  /** @param onEnd called when a stroke is done */
  constructor(onEnd: (strokes: readonly Stroke[]) => void) {
    let current: Stroke | null = null;
    const pointOf = (event: PointerEvent): [number, number] => {
      const box = this.element.getBoundingClientRect();
      const inside = (value: number) => Math.min(1, Math.max(0, value));
      return [inside((event.clientX - box.left) / box.width), inside((event.clientY - box.top) / box.height)];
    };
    this.element.addEventListener('pointerdown', (event) => {
      this.element.setPointerCapture(event.pointerId);
      current = [pointOf(event)];
      this.#strokes.push(current);
      this.#paint();
    });
    this.element.addEventListener('pointermove', (event) => {
      if (!current) return;
      const [x, y] = pointOf(event);
      const [lastX, lastY] = current.at(-1) ?? [0, 0];
      if (Math.hypot(x - lastX, y - lastY) < 0.015) return;
      current.push([x, y]);
      this.#paint();
    });
    const end = () => {
      if (current) onEnd(this.#strokes);
      current = null;
    };
    this.element.addEventListener('pointerup', end);
    this.element.addEventListener('pointercancel', end);
  }

  show(strokes: Stroke[]): void {
    this.#strokes = strokes;
    this.#paint();
  }

  /**
   * What the model sees, [1, 1, 28, 28] from -1 to 1: the drawing in the middle, as large as the digits of its training.
   * `null` where nothing is drawn.
   */
  picture(): { readonly pixelValues: Tensor; readonly image: ImageData } | null {
    const points = this.#strokes.flat();
    if (points.length === 0) return null;
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const scale = filled / Math.max(right - left, bottom - top, 0.12);
    const centred = (value: number, low: number, high: number) => (value - (low + high) / 2) * scale + 0.5;
    const canvas = new OffscreenCanvas(side, side);
    const context = canvas.getContext('2d', {
      willReadFrequently: true,
    }) as OffscreenCanvasRenderingContext2D;
    const strokes = this.#strokes.map((stroke) =>
      stroke.map(([x, y]): [number, number] => [centred(x, left, right), centred(y, top, bottom)]),
    );
    paint(context, strokes, side);
    const image = context.getImageData(0, 0, side, side);
    const values = Float32Array.from({ length: side * side }, (_, i) => (image.data[i * 4] ?? 0) / 127.5 - 1);
    return { pixelValues: new Tensor(values, [1, 1, side, side]), image };
  }

  #paint(): void {
    const context = this.element.getContext('2d') as CanvasRenderingContext2D;
    paint(context, this.#strokes, this.element.width);
  }
}

/** White lines with round ends on black. */
function paint(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  strokes: readonly Stroke[],
  size: number,
): void {
  context.fillStyle = '#000';
  context.fillRect(0, 0, size, size);
  context.strokeStyle = '#fff';
  context.lineWidth = pen * size;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  for (const stroke of strokes) {
    context.beginPath();
    for (const [x, y] of stroke) context.lineTo(x * size, y * size);
    const [x = 0, y = 0] = stroke[0] ?? [];
    if (stroke.length === 1) context.lineTo(x * size + 0.1, y * size);
    context.stroke();
  }
}
