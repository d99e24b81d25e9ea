/** A view's figure as a picture to keep: its claim above, what it says and its address below, three times the size. */

import { colour } from '../drawing/colours.js';
import { linesOf } from '../drawing/lines_of_text.js';
import { paintElement } from '../drawing/painted.js';
import { saveCanvas } from '../drawing/save.js';

/** How many pixels of the picture one of the screen becomes; fewer where a browser could not hold them. */
const times = 3;
const mostPixels = 16_000_000;
const margin = 32;

/** What a picture shows. */
export interface Shown {
  readonly figure: HTMLElement;
  readonly claim: string;
  readonly said: string;
  readonly address: string;
}

export async function drawFigure({ figure, claim, said, address }: Shown): Promise<HTMLCanvasElement> {
  const box = figure.getBoundingClientRect();
  const context = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
  const width = Math.max(box.width, 320);
  const family = getComputedStyle(document.body).fontFamily;
  const [title, text] = [`680 24px ${family}`, `400 15px ${family}`];
  const above = linesOf(context, title, claim, width);
  const below = linesOf(context, text, said, width);
  const small = `400 13px ${family}`;
  const foot = linesOf(context, small, address, width);
  const top = margin + above.length * 30 + 16;
  const height = top + box.height + 24 + below.length * 22 + foot.length * 18 + margin;
  const scale = Math.min(times, Math.sqrt(mostPixels / ((width + 2 * margin) * height)));
  context.canvas.width = Math.ceil((width + 2 * margin) * scale);
  context.canvas.height = Math.ceil(height * scale);
  context.scale(scale, scale);
  context.fillStyle = colour('--page');
  context.fillRect(0, 0, width + 2 * margin, height);
  const write = (lines: readonly string[], { font, ink, at, step }: Writing) => {
    context.font = font;
    context.fillStyle = colour(ink);
    for (const [i, line] of lines.entries()) context.fillText(line, margin, at + i * step);
  };
  write(above, { font: title, ink: '--ink', at: margin + 22, step: 30 });
  write(below, { font: text, ink: '--ink', at: top + box.height + 36, step: 22 });
  const last = top + box.height + 36 + below.length * 22;
  write(foot, { font: small, ink: '--ink-soft', at: last, step: 18 });
  context.translate(margin - box.left, top - box.top);
  await paintElement(context, figure);
  return context.canvas;
}

interface Writing {
  readonly font: string;
  readonly ink: string;
  readonly at: number;
  readonly step: number;
}

/** Saves it as a file, which the browser writes. */
export async function saveFigure(shown: Shown, name: string): Promise<void> {
  await saveCanvas(await drawFigure(shown), `${name}.png`);
}
