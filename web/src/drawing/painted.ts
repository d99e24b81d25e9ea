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
  if (!element.checkVisibility({ visibilityProperty: true }) || isOutOfSight(box, style)) return;
  const alpha = fade * Number(style.opacity);
  context.save();
  context.globalAlpha = alpha;
  paintBox(context, box, style);
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
  paintGradient(context, box, style);
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

/** Bars, which are of one colour and a part of the box wide, and numbers as cells of colour from left to right. */
function paintGradient(context: CanvasRenderingContext2D, box: Box, style: CSSStyleDeclaration): void {
  const { backgroundImage: image, backgroundSize, backgroundPosition } = style;
  if (!image.startsWith('linear-gradient(')) return;
  const stops = [...image.matchAll(/([a-z]+\([^()]*\)) ([\d.]+)(?:%|px)/g)];
  const [width, height] = lengthsOf(backgroundSize, [box.width, box.height], [box.width, box.height]);
  const room = [box.width - width, box.height - height] as const;
  const [x, y] = lengthsOf(backgroundPosition, room, [0, 0]);
  const isPlain = new Set(stops.map(([, ink]) => ink)).size === 1;
  if (!isPlain && !/^linear-gradient\((to right|90deg)/.test(image)) return;
  const fill = context.createLinearGradient(box.left + x, 0, box.left + x + width, 0);
  for (const [, ink = '', at] of stops) fill.addColorStop(Math.min(1, Number(at) / 100), ink);
  context.fillStyle = fill;
  context.fillRect(box.left + x, box.top + y, width, height);
}

/** `46% 2px`, of what is there @param usual in place of `auto` */
function lengthsOf(
  text: string,
  whole: readonly [number, number],
  usual: readonly [number, number],
): [number, number] {
  const parts = text.split(' ');
  const of = (i: 0 | 1) => {
    const part = parts[i] ?? 'auto';
    const number = Number.parseFloat(part);
    if (Number.isNaN(number)) return usual[i];
    return part.endsWith('%') ? (number / 100) * whole[i] : number;
  };
  return [of(0), of(1)];
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
  context.save();
  context.globalAlpha *= Number(style.opacity);
  paintBox(
    context,
    { left: outer.left + clientLeft + left, top: outer.top + clientTop + top, width, height },
    style,
  );
  context.restore();
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
