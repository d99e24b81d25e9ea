/** The shares of exact translations by length: two curves, and what lies between them. */

import { node } from '../../drawing/svg.js';
import { percentSign } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import { type ByLength, rangeText } from './compute.js';

const margin = { top: 12, right: 96, bottom: 34, left: 40 };
/** How many letters stand beside a curve in one line. */
const longest = 11;

/** @param width in pixels, as which it is drawn, so that its text keeps its size */
export function drawCurve(table: ByLength, width: number): SVGSVGElement {
  const height = Math.max(240, Math.min(400, width * 0.62));
  const svg = node('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    class: 'curve',
    'aria-hidden': 'true',
  });
  const points = table.lengths.length;
  const x = (i: number) => margin.left + ((width - margin.left - margin.right) * i) / Math.max(1, points - 1);
  const y = (share: number) => margin.top + (height - margin.top - margin.bottom) * (1 - share);
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(
      node('line', { class: 'grid', x1: margin.left, x2: width - margin.right, y1: y(share), y2: y(share) }),
      node('text', { x: margin.left - 10, y: y(share) + 4, 'text-anchor': 'end' }, `${share * 100}`),
    );
  }
  const path = (shares: readonly number[]) =>
    shares.map((share, i) => `${i === 0 ? 'M' : 'L'}${x(i)},${y(share)}`).join(' ');
  const back = [...table.one_vector.keys()].reverse().map((i) => `L${x(i)},${y(table.one_vector[i] ?? 0)}`);
  svg.append(node('path', { class: 'between', d: `${path(table.attention)} ${back.join(' ')} Z` }));
  const isTight = width < 480;
  for (const [i, range] of table.lengths.entries())
    if (!isTight || i % 2 === 0 || i === points - 1)
      svg.append(node('text', { x: x(i), y: height - 10, 'text-anchor': 'middle' }, rangeText(range)));
  for (const [name, title, shares] of [
    ['one-vector', words.bottleneck.oneVector, table.one_vector],
    ['looks-back', words.bottleneck.looksBack, table.attention],
  ] as const) {
    svg.append(node('path', { class: name, d: path(shares) }));
    svg.append(...shares.map((share, i) => node('circle', { class: name, cx: x(i), cy: y(share), r: 4.5 })));
    const last = shares.at(-1) ?? 0;
    svg.append(
      ...namesAt({ x: x(points - 1) + 12, y: y(last) }, name, [
        ...linesOf(title),
        `${Math.round(last * 100)}${percentSign}`,
      ]),
    );
  }
  return svg;
}

/** The name of a curve beside its end, line by line, with its last share below. */
function namesAt(
  end: { readonly x: number; readonly y: number },
  name: string,
  lines: readonly string[],
): SVGTextElement[] {
  return lines.map((line, i) => {
    const isShare = i === lines.length - 1;
    const y = end.y + 19 - 18 * (lines.length - 1 - i);
    return node('text', { class: isShare ? name : `${name} curve-name`, x: end.x, y }, line);
  });
}

/** A name in lines that fit beside the curves: its last words may stand in a second one. */
export function linesOf(name: string): string[] {
  const words = name.split(' ');
  const lines: string[] = [];
  for (const word of words) {
    const joined = [lines.at(-1), word].filter(Boolean).join(' ');
    if (lines.length > 0 && joined.length <= longest) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}
