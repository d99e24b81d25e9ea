/** The sum that makes the context vector: a strip of colours for each term, and their sum below the line. */

import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import { paintPixels } from '../../drawing/pixels.js';
import { figures } from '../../reading/figures.js';
import type { Reading, WrittenToken } from '../../reading/reading.js';
import { percent, tokenText } from '../../reading/tokens.js';
import { separator } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import type { Term } from './compute.js';

/** How many of the vector's numbers are written out. */
const written = 4;

export interface Sum {
  readonly shown: readonly Term[];
  /** The weight of the terms that are not shown. */
  readonly rest: number;
  readonly context: Float32Array;
}

export function contextRows(
  { source }: Reading,
  word: WrittenToken,
  { shown, rest, context }: Sum,
): HTMLElement[] {
  const limit = context.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6);
  const strip = (values: Float32Array) => {
    const canvas = make('canvas', { 'aria-hidden': 'true' });
    paintPixels(canvas, { values, rows: 1, columns: values.length, scale: 'signed', limit });
    return canvas;
  };
  const row = (name: HTMLElement | string, weight: string, strips: Node, kind = '') =>
    make(
      'div',
      { class: `context-row ${kind}` },
      make('span', { class: 'context-name' }, name),
      make('span', { class: 'context-weight' }, weight),
      strips,
    );
  const numbers = [...context.subarray(0, written)].map(figures).join(separator);
  return [
    ...shown.map(({ key, weight, product }) =>
      row(tokenText(source[key] ?? word), `${percent(weight)} ×`, strip(product)),
    ),
    ...(rest > 0 ? [row(words.lookBack.others, percent(rest), make('span'), 'rest')] : []),
    row(words.lookBack.context, '', strip(context), 'total'),
    make(
      'p',
      { class: 'note' },
      ...filled(words.lookBack.madeFor(context.length), {
        word: tokenText(word),
        numbers: `[${numbers}, …]`,
      }),
    ),
  ];
}
