/** A drawing in SVG on a canvas: its shapes as a picture that has their styles, its text in the page's own font. */

import { fontOf } from './font.js';

/** What style sheets say of shapes. */
const properties = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'opacity',
  'display',
  'visibility',
  'stop-color',
  'stop-opacity',
] as const;

/** @param context whose origin is the corner of the window */
export async function paintSvg(context: CanvasRenderingContext2D, svg: SVGSVGElement): Promise<void> {
  const { left, top, width, height } = svg.getBoundingClientRect();
  if (width === 0 || height === 0) return;
  const copy = styledCopy(svg);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', `${width}`);
  copy.setAttribute('height', `${height}`);
  for (const text of copy.querySelectorAll('text')) text.remove();
  const url = URL.createObjectURL(
    new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }),
  );
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    context.drawImage(image, left, top, width, height);
  } finally {
    URL.revokeObjectURL(url);
  }
  for (const text of svg.querySelectorAll('text')) paintText(context, text);
}

function styledCopy(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const copies = copy.querySelectorAll<SVGElement>('*');
  for (const [i, element] of svg.querySelectorAll<SVGElement>('*').entries()) {
    const style = getComputedStyle(element);
    for (const name of properties) copies[i]?.setAttribute(name, style.getPropertyValue(name));
    copies[i]?.removeAttribute('style');
  }
  return copy;
}

const sides: Readonly<Record<string, CanvasTextAlign>> = { start: 'left', middle: 'center', end: 'right' };

function paintText(context: CanvasRenderingContext2D, text: SVGTextElement): void {
  const style = getComputedStyle(text);
  const matrix = text.getScreenCTM();
  if (!matrix || style.display === 'none' || style.visibility === 'hidden') return;
  context.save();
  context.transform(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f);
  context.globalAlpha *= Number(style.opacity);
  context.font = fontOf(style);
  context.fillStyle = style.fill;
  context.textAlign = sides[style.textAnchor] ?? 'left';
  context.textBaseline = style.dominantBaseline === 'auto' ? 'alphabetic' : 'middle';
  const [x, y] = [text.x.baseVal, text.y.baseVal].map((list) =>
    list.numberOfItems > 0 ? list.getItem(0).value : 0,
  );
  context.fillText(text.textContent ?? '', x ?? 0, y ?? 0);
  context.restore();
}
