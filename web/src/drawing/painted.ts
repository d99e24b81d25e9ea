/**
 * A part of the page painted as it stands on the screen: boxes, text line by line, canvases, and drawings in SVG. Browsers
 * let nobody read a canvas into which they have drawn HTML themselves.
 */

import { fontOf } from './font.js';
import { paintSvg } from './painted_svg.js';

/** A box on the screen. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** @param context whose origin is the corner of the window @param fade how opaque what is around it is */
export async function paintElement(
  context: CanvasRenderingContext2D,
  element: Element,
  fade = 1,
): Promise<void> {
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  if (style.display === 'none' || style.visibility === 'hidden' || isOutOfSight(box, style)) return;
  const alpha = fade * Number(style.opacity);
  context.save();
  context.globalAlpha = alpha;
  paintBox(context, box, style);
  paintStrip(context, box, style.backgroundImage);
  if (style.overflowX !== 'visible' || style.overflowY !== 'visible') clipTo(context, box);
  if (element instanceof HTMLCanvasElement && element.width > 0)
    context.drawImage(element, box.left, box.top, box.width, box.height);
  else if (element instanceof SVGSVGElement) await paintSvg(context, element);
  else {
    paintPseudo(context, element, '::before');
    for (const child of element.childNodes) {
      if (child instanceof Element) await paintElement(context, child, alpha);
      else if (child instanceof Text) paintText(context, child, style);
    }
    paintPseudo(context, element, '::after');
  }
  context.restore();
}

/** What only screen readers get is one pixel large, and clipped. */
const isOutOfSight = ({ width, height }: Box, { display, overflowX }: CSSStyleDeclaration) =>
  display !== 'contents' && overflowX !== 'visible' && width <= 1 && height <= 1;

function clipTo(context: CanvasRenderingContext2D, { left, top, width, height }: Box): void {
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
}

function paintBox(context: CanvasRenderingContext2D, box: Box, style: CSSStyleDeclaration): void {
  const { left, top, width, height } = box;
  if (width === 0 || height === 0) return;
  context.fillStyle = style.backgroundColor;
  context.beginPath();
  context.roundRect(left, top, width, height, Number.parseFloat(style.borderTopLeftRadius) || 0);
  context.fill();
  paintBorders(context, box, style);
}

function paintBorders(context: CanvasRenderingContext2D, box: Box, style: CSSStyleDeclaration): void {
  const { left, top, width, height } = box;
  const of = (side: string) => ({
    line: Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) || 0,
    kind: style.getPropertyValue(`border-${side}-style`),
    ink: style.getPropertyValue(`border-${side}-color`),
  });
  const sides = (['top', 'right', 'bottom', 'left'] as const).map(of);
  const edges = [
    [left, top, left + width, top],
    [left + width, top, left + width, top + height],
    [left, top + height, left + width, top + height],
    [left, top, left, top + height],
  ] as const;
  const inwards = [
    [0, 0.5],
    [-0.5, 0],
    [0, -0.5],
    [0.5, 0],
  ] as const;
  const isRound = new Set(sides.map(({ line, ink }) => `${line} ${ink}`)).size === 1;
  for (const [i, { line, kind, ink }] of sides.entries()) {
    if (line === 0 || kind === 'none' || (isRound && i > 0)) continue;
    context.strokeStyle = ink;
    context.lineWidth = line;
    context.setLineDash(kind === 'dashed' ? [3 * line, 3 * line] : kind === 'dotted' ? [line, line] : []);
    context.beginPath();
    const [x1, y1, x2, y2] = edges[i] ?? edges[0];
    const [dx, dy] = (inwards[i] ?? inwards[0]).map((share) => share * line) as [number, number];
    if (isRound)
      context.roundRect(
        left + line / 2,
        top + line / 2,
        Math.max(0, width - line),
        Math.max(0, height - line),
        Number.parseFloat(style.borderTopLeftRadius) || 0,
      );
    else {
      context.moveTo(x1 + dx, y1 + dy);
      context.lineTo(x2 + dx, y2 + dy);
    }
    context.stroke();
  }
  context.setLineDash([]);
}

/** Numbers as cells of colour, which are stops of a gradient: `rgb(1, 2, 3) 0% 3.13%`. */
function paintStrip(context: CanvasRenderingContext2D, box: Box, image: string): void {
  if (!image.startsWith('linear-gradient(to right')) return;
  for (const [, ink = '', from, to] of image.matchAll(/([a-z]+\([^()]*\)) ([\d.]+)% ([\d.]+)%/g)) {
    context.fillStyle = ink;
    const [start, end] = [Number(from) / 100, Number(to) / 100];
    context.fillRect(box.left + start * box.width, box.top, (end - start) * box.width, box.height);
  }
}

/** Lines and dots that a style sheet adds, where it gives them a place. */
function paintPseudo(
  context: CanvasRenderingContext2D,
  element: Element,
  name: '::before' | '::after',
): void {
  const style = getComputedStyle(element, name);
  if (style.content === 'none' || style.position !== 'absolute') return;
  let around: Element | null = element;
  while (around && getComputedStyle(around).position === 'static') around = around.parentElement;
  if (!around) return;
  const outer = around.getBoundingClientRect();
  const [left, top, width, height] = [style.left, style.top, style.width, style.height].map(
    (length) => Number.parseFloat(length) || 0,
  ) as [number, number, number, number];
  const { clientLeft, clientTop } = around;
  paintBox(
    context,
    { left: outer.left + clientLeft + left, top: outer.top + clientTop + top, width, height },
    style,
  );
}

/** Word by word: where a line ends is what the browser says of each word's place. */
function paintText(context: CanvasRenderingContext2D, text: Text, style: CSSStyleDeclaration): void {
  context.font = fontOf(style);
  context.fillStyle = style.color;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  const range = document.createRange();
  for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const rects = [...range.getClientRects()];
    // Chinese breaks within what has no space.
    if (rects.length > 1) paintLetters(context, text, { from: index, to: index + word.length });
    else if (rects[0]) paintWord(context, word, rects[0], style);
  }
}

function paintLetters(
  context: CanvasRenderingContext2D,
  text: Text,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const range = document.createRange();
  for (let i = from; i < to; i++) {
    range.setStart(text, i);
    range.setEnd(text, i + 1);
    const place = range.getBoundingClientRect();
    const letter = text.data.charAt(i);
    if (place.width > 0) paintWord(context, letter, place);
  }
}

function paintWord(
  context: CanvasRenderingContext2D,
  word: string,
  { left, top, width, height }: Box,
  style?: CSSStyleDeclaration,
): void {
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = context.measureText(word);
  const baseline = top + (height - ascent - descent) / 2 + ascent;
  context.fillText(word, left, baseline);
  const line = style?.textDecorationLine ?? 'none';
  if (line.includes('underline')) context.fillRect(left, baseline + 3, width, 1);
  if (line.includes('line-through')) context.fillRect(left, baseline - ascent * 0.3, width, 1);
}
