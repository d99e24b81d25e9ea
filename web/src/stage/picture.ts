/** The loom as a picture to keep: three times the size, with paper behind it, its sentence and its address below. */

import { colour } from '../drawing/colours.js';
import { fontOf } from '../drawing/font.js';
import { saveCanvas } from '../drawing/save.js';

/** How many pixels of the picture one of the screen becomes. */
const times = 3;
const margin = 32;
const below = 96;

interface Painter {
  readonly context: CanvasRenderingContext2D;
  /** The corner of the loom on the screen. */
  readonly origin: DOMRect;
}

/** @param loom the element with words, bars and ribbons @param said what stands below it */
export function drawPicture(loom: HTMLElement, said: string): HTMLCanvasElement {
  const inside = loom.firstElementChild as HTMLElement;
  const origin = inside.getBoundingClientRect();
  const [width, height] = [origin.width + 2 * margin, origin.height + 2 * margin + below];
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * times);
  canvas.height = Math.ceil(height * times);
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.scale(times, times);
  context.fillStyle = colour('--page');
  context.fillRect(0, 0, width, height);
  context.translate(margin, margin);
  const painter = { context, origin };
  for (const path of inside.querySelectorAll<SVGPathElement>('.ribbons path')) paintRibbon(painter, path);
  for (const bar of inside.querySelectorAll<HTMLElement>('.word-bar')) paintBar(painter, bar);
  for (const word of inside.querySelectorAll<HTMLElement>('.word, .margin > span, .agreement-button > *'))
    paintText(painter, word);
  paintCaption(context, origin.height, said);
  return canvas;
}

/** Saves it as a file, which the browser writes. */
export async function savePicture(loom: HTMLElement, said: string): Promise<void> {
  await saveCanvas(drawPicture(loom, said), 'attention.png');
}

function paintRibbon({ context }: Painter, path: SVGPathElement): void {
  const outline = path.getAttribute('d') ?? '';
  const box = path.getBBox();
  const isArc = path.classList.contains('arc');
  const [upper, lower] = path.classList.contains('chosen') ? [0.62, 0.98] : [0.05, 0.22];
  context.save();
  if (isArc) {
    context.globalAlpha = 0.72;
    context.fillStyle = colour('--heat-all');
  } else {
    const fade = context.createLinearGradient(0, box.y, 0, box.y + box.height);
    for (const [at, share] of [upper, lower].entries())
      fade.addColorStop(
        at,
        `color-mix(in srgb, ${colour('--heat-all')} ${100 * (share ?? 1)}%, transparent)`,
      );
    context.fillStyle = fade;
  }
  context.fill(new Path2D(outline));
  context.restore();
}

function paintBar({ context, origin }: Painter, bar: HTMLElement): void {
  const { left, top, width, height } = bar.getBoundingClientRect();
  const share = Number(bar.style.getPropertyValue('--share')) || 0;
  const paint = (fill: string, alpha: number) => {
    context.globalAlpha = alpha;
    context.fillStyle = fill;
    context.beginPath();
    context.roundRect(left - origin.left, top - origin.top, width, height, 3);
    context.fill();
    context.globalAlpha = 1;
  };
  paint(colour('--track'), 1);
  paint(colour(bar.classList.contains('needed') ? '--needed' : '--heat-all'), share);
}

function paintText({ context, origin }: Painter, word: HTMLElement): void {
  const { left, top, width, height } = word.getBoundingClientRect();
  if (width === 0 || word.hidden) return;
  const style = getComputedStyle(word);
  context.font = fontOf(style);
  context.fillStyle = style.color;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(word.textContent ?? '', left - origin.left + width / 2, top - origin.top + height / 2);
}

function paintCaption(context: CanvasRenderingContext2D, top: number, said: string): void {
  const family = getComputedStyle(document.body).fontFamily;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.fillStyle = colour('--ink');
  context.font = `450 26px ${family}`;
  context.fillText(said, 0, top + 40);
  context.fillStyle = colour('--ink-soft');
  context.font = `400 13px ${family}`;
  context.fillText(`${location.host}${location.pathname}`, 0, top + 72);
}
