/** A view's figure as a picture to keep: its claim above, what it says and its address below, three times the size. */

import { colour } from '../drawing/colours.js';
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
  const top = margin + above.length * 30 + 16;
  const height = top + box.height + 24 + below.length * 22 + 22 + margin;
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
  const foot = top + box.height + 36 + below.length * 22;
  write([address], { font: `400 13px ${family}`, ink: '--ink-soft', at: foot, step: 0 });
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

/** As many words a line as it holds; of Chinese, as many letters. */
function linesOf(context: CanvasRenderingContext2D, font: string, text: string, width: number): string[] {
  context.font = font;
  const lines: string[] = [];
  let line = '';
  for (const [piece] of text
    .replace(/[ \n]+/g, ' ')
    .matchAll(/[\u2e80-\u9fff][，。；：？！、）”]*|[^ \u2e80-\u9fff]+ ?| /g)) {
    if (line !== '' && context.measureText(line + piece.trimEnd()).width > width) {
      lines.push(line);
      line = '';
    }
    line += piece;
  }
  return line === '' ? lines : [...lines, line];
}
