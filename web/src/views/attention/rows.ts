/** Draws one attention as a table: a row for each key, a column for each step. */

import { cssColour } from '../../drawing/colours.js';
import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import { figures, vectorText } from '../../reading/figures.js';
import type { Inputs } from '../../reading/inputs.js';
import { decimals } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import type { Numbers } from './numbers.js';

export interface Steps {
  readonly inputs: Inputs;
  readonly numbers: Numbers;
  readonly query: number;
  readonly factorText: string;
  /** How many keys have been read. */
  readonly read: number;
  readonly onHide: (key: number) => void;
}

/** Vectors up to this width are written out; longer ones are strips, and are written out in the code and the table. */
const written = 4;

export const rowOf = (
  { data, shape }: { readonly data: Float32Array; readonly shape: readonly number[] },
  row: number,
) => data.subarray(row * (shape[1] ?? 0), (row + 1) * (shape[1] ?? 0));

/** A vector: its numbers, or a strip of coloured cells with its numbers behind it. */
function vector(values: Float32Array, name: 'query' | 'key' | 'value' | 'output'): HTMLElement {
  if (values.length <= written) return make('span', { class: `vector ${name}` }, vectorText(values));
  const limit = Math.max(1e-9, ...Array.from(values, Math.abs));
  const edge = (i: number) => `${((100 * i) / values.length).toFixed(2)}%`;
  const cells = Array.from(
    values,
    (value, i) => `${cssColour('signed', value / limit)} ${edge(i)} ${edge(i + 1)}`,
  );
  const strip = make('span', {
    class: `strip of-${name}`,
    role: 'img',
    'aria-label': words.attention.strip(
      values.length,
      figures(Math.min(...values)),
      figures(Math.max(...values)),
    ),
    title: vectorText(values),
  });
  strip.style.setProperty('background-image', `linear-gradient(to right, ${cells.join()})`);
  return strip;
}

/** The key's name, which hides it or shows it. */
function nameOf({ inputs, numbers, onHide }: Steps, key: number): HTMLElement {
  const [name, isSeen] = [inputs.keyNames[key] ?? '', numbers.isSeen[key] ?? true];
  const button = make(
    'button',
    { type: 'button', 'aria-pressed': `${!isSeen}`, title: words.attention.hideOrShow(name) },
    name,
  );
  button.addEventListener('click', () => onHide(key));
  return make('th', { scope: 'row', class: isSeen ? 'key' : 'key hidden-key' }, button);
}

function weightCell(weight: number): HTMLElement {
  const bar = make('span', { class: 'weight-bar', 'aria-hidden': 'true' });
  bar.style.setProperty('--share', weight.toFixed(4));
  return make('td', { class: 'weight' }, bar, figures(weight));
}

function drawRow(steps: Steps, key: number): HTMLElement {
  const { inputs, numbers, read } = steps;
  const isSeen = numbers.isSeen[key] ?? true;
  const isRead = key < read;
  const [dot, score, exp, weight] = [numbers.dots, numbers.scores, numbers.exps, numbers.weights].map(
    (all) => all[key] ?? 0,
  );
  return make(
    'tr',
    { class: isRead ? '' : 'unread' },
    nameOf(steps, key),
    make('td', {}, vector(rowOf(inputs.keys, key), 'key')),
    make('td', {}, figures(dot ?? 0)),
    make('td', isSeen ? {} : { class: 'minus-infinity' }, isSeen ? figures(score ?? 0) : '−∞'),
    make('td', {}, isRead ? figures(isSeen ? (exp ?? 0) : 0) : '–'),
    isRead ? weightCell(weight ?? 0) : make('td', {}, '–'),
    make('td', {}, vector(rowOf(inputs.values, key), 'value')),
  );
}

const b = (name: 'query' | 'key' | 'value' | 'attention', letter: string) =>
  make('b', { class: name }, letter);

function headOf(factorText: string): HTMLElement {
  const columns: (Node | string)[][] = [
    [b('key', words.attention.keyK)],
    [b('query', 'q'), ' · ', b('key', 'k')],
    [factorText],
    [words.attention.expOfScore],
    [b('attention', words.attention.sumIsWeight)],
    [b('value', words.attention.valueV)],
  ];
  const cells = columns.map((content, i) =>
    make('th', { scope: 'col' }, make('small', {}, `${i + 1}`), make('span', {}, ...content)),
  );
  return make('thead', {}, make('tr', {}, make('td'), ...cells));
}

export function drawSteps(steps: Steps): HTMLElement {
  const { inputs, numbers, query, factorText } = steps;
  const isAnySeen = numbers.weights.some((weight) => weight > 0);
  const foot = make(
    'tfoot',
    {},
    make(
      'tr',
      {},
      make('td'),
      make('td'),
      make('td'),
      make('td'),
      make('td', {}, figures(numbers.sum)),
      make('td', { class: 'weight' }, isAnySeen ? decimals('1.00') : '0'),
      make('td', {}, words.attention.sumOfValues),
    ),
  );
  const table = make(
    'table',
    {},
    headOf(factorText),
    make('tbody', {}, ...inputs.keyNames.map((_, key) => drawRow(steps, key))),
    foot,
  );
  return make(
    'div',
    {},
    make(
      'p',
      { class: 'of-query-line' },
      ...filled(words.attention.itsQuery, {
        name: make('b', { class: 'query' }, inputs.queryNames[query] ?? ''),
        query: vector(rowOf(inputs.queries, query), 'query'),
      }),
    ),
    make('div', { class: 'steps', tabindex: 0, role: 'group', 'aria-label': words.attention.steps }, table),
    make('p', { class: 'output-line' }, words.attention.output, ' ', vector(numbers.output, 'output')),
  );
}
