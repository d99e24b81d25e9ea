/**
 * The stage as a picture to keep: 1200 x 630, as cards of links are, and three times as many pixels. Words, ribbons and what
 * is said of them are painted as they stand on the screen; below them is the address that shows the same again.
 */

import { colour } from '../drawing/colours.js';
import { linesOf } from '../drawing/lines_of_text.js';
import { paintElement } from '../drawing/painted.js';
import { saveCanvas } from '../drawing/save.js';

const times = 3;
const size = { width: 1200, height: 630 };
const margin = 40;
/** The lines of the address, at most. */
const mostLines = 2;
const address = { font: 13, line: 18 };

/** @param loom the words and ribbons @param said what stands below them */
export async function drawPicture(loom: HTMLElement, said: HTMLElement): Promise<HTMLCanvasElement> {
  const canvas = document.createElement('canvas');
  canvas.width = size.width * times;
  canvas.height = size.height * times;
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.scale(times, times);
  context.fillStyle = colour('--page');
  context.fillRect(0, 0, size.width, size.height);
  const foot = paintAddress(context);
  const [upper, lower] = [loom, said].map((element) => element.getBoundingClientRect()) as [DOMRect, DOMRect];
  const gap = 20;
  const [width, height] = [Math.max(upper.width, lower.width), upper.height + gap + lower.height];
  const scale = Math.min((size.width - 2 * margin) / width, (foot - 2 * margin) / height);
  const left = (size.width - width * scale) / 2;
  const paint = async (element: HTMLElement, box: DOMRect, top: number) => {
    context.save();
    context.translate(left, top);
    context.scale(scale, scale);
    context.translate(-box.left, -box.top);
    await paintElement(context, element);
    context.restore();
  };
  const top = margin + Math.max(0, foot - 2 * margin - height * scale) / 2;
  await paint(loom, upper, top);
  await paint(said, lower, top + (upper.height + gap) * scale);
  return canvas;
}

/** Saves it as a file, which the browser writes. */
export async function savePicture(loom: HTMLElement, said: HTMLElement): Promise<void> {
  await saveCanvas(await drawPicture(loom, said), 'attention.png');
}

/** Writes the address with its state at the foot. @returns where it begins */
function paintAddress(context: CanvasRenderingContext2D): number {
  const font = `400 ${address.font}px ${getComputedStyle(document.body).fontFamily}`;
  const lines = linesOf(context, font, location.href, size.width - 2 * margin).slice(0, mostLines);
  const top = size.height - margin - lines.length * address.line;
  context.font = font;
  context.fillStyle = colour('--ink-soft');
  context.textBaseline = 'alphabetic';
  for (const [i, line] of lines.entries())
    context.fillText(line, margin, top + address.line * (i + 1) + margin / 2);
  return top;
}
