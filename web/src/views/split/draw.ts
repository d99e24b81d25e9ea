/** Split, look, join, mix: four rows of strips, with the ways between them. */

import { make } from '../../drawing/dom.js';
import { paintPixels } from '../../drawing/pixels.js';
import { node } from '../../drawing/svg.js';
import { figures } from '../../reading/figures.js';
import { percentSign, separator } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import type { HeadLook, Link } from './compute.js';

/** The share of the width that the whole vector has, between the wider rows of heads. */
const inset = 0.048;
/** Between two heads, as a share of the width. */
const gap = 0.032;
/** A weight from here on has its number and its word. */
const named = 0.1;

export function strip(values: Float32Array, label: string, limit: number): HTMLElement {
  const canvas = make('canvas', { class: 'strip-of-numbers', role: 'img', 'aria-label': label });
  paintPixels(canvas, { values, rows: 1, columns: values.length, scale: 'signed', limit });
  return canvas;
}

export const limitOf = (values: Float32Array) =>
  Math.max(
    1e-6,
    ...Array.from(values, Math.abs)
      .sort((a, b) => b - a)
      .slice(Math.floor(values.length / 40), Math.floor(values.length / 40) + 1),
  );

/** The fans between the whole vector and its heads; `isUp`: they close instead of opening. */
export function fans(looks: readonly HeadLook[], isUp: boolean): SVGSVGElement {
  const svg = node('svg', {
    viewBox: '0 0 1000 100',
    preserveAspectRatio: 'none',
    class: 'fans',
    'aria-hidden': 'true',
  });
  const count = looks.length;
  const [whole, head] = [(1 - 2 * inset) / count, (1 - gap * (count - 1)) / count];
  for (const [i, { isOff }] of looks.entries()) {
    const narrow = [inset + i * whole, inset + (i + 1) * whole];
    const wide = [i * (head + gap), i * (head + gap) + head];
    const [top, bottom] = isUp ? [wide, narrow] : [narrow, wide];
    const [a = 0, b = 0, c = 0, d = 0] = [...top, ...bottom].map((share) => share * 1000);
    const d_ = `M${a},0 C${a},55 ${c},45 ${c},100 L${d},100 C${d},45 ${b},55 ${b},0 Z`;
    svg.append(node('path', { d: d_, class: isOff ? 'ghost' : '' }));
  }
  return svg;
}

/** Where one head looks: a bar for each word, the large ones named. */
export function bars({ weights, isOff }: HeadLook, keys: readonly string[], head: number): HTMLElement {
  const most = [...weights.keys()]
    .filter((key) => (weights[key] ?? 0) >= named)
    .sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0))
    .slice(0, 2);
  const said = most
    .map((key) => `${keys[key]} ${Math.round((weights[key] ?? 0) * 100)}${percentSign}`)
    .join(words.marks.comma);
  return make(
    'div',
    {
      class: isOff ? 'look-bars ghost' : 'look-bars',
      role: 'img',
      'aria-label': words.split.barsOf(head + 1, said || words.split.allAlike),
    },
    ...Array.from(weights, (weight, key) => {
      const isNamed = most.includes(key);
      const bar = make(
        'span',
        { class: 'look-bar' },
        ...(isNamed ? [make('i', {}, `${Math.round(weight * 100)}`), make('b', {}, keys[key] ?? '')] : []),
      );
      bar.style.setProperty('--weight', weight.toFixed(4));
      return bar;
    }),
  );
}

/** The strongest ways through W_O. */
export function lines(links: readonly Link[], width: number): SVGSVGElement {
  const svg = node('svg', {
    viewBox: '0 0 1000 100',
    preserveAspectRatio: 'none',
    class: 'mix-lines',
    'aria-hidden': 'true',
  });
  const x = (i: number) => (1000 * (i + 0.5)) / width;
  for (const { from, to, share } of links) {
    const [a, b] = [x(from), x(to)];
    const line = node('path', { d: `M${a},0 C${a},60 ${b},40 ${b},100` });
    line.style.setProperty('opacity', (0.06 + 0.5 * share ** 2).toFixed(2));
    svg.append(line);
  }
  return svg;
}

/** One of the four words that are the whole explanation, and what it names. */
export const step = (
  number: number,
  { name, note }: { readonly name: string; readonly note: string },
  ...figure: Node[]
): HTMLElement =>
  make(
    'div',
    { class: 'split-step' },
    make(
      'div',
      { class: 'split-name' },
      make('span', { class: 'split-number', 'aria-hidden': 'true' }, `${number}`),
      make('b', {}, name),
      make('span', { class: 'note' }, note),
    ),
    make('div', { class: 'split-figure' }, ...figure),
  );

/** `[0.0263, −0.0372, …]`, of a vector */
export const firstFigures = (values: Float32Array) =>
  `[${[...values.subarray(0, 3)].map(figures).join(separator)}${separator}…]`;
