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
  /** The keys whose vectors are shown on a narrow screen, which has no room for all columns; the table keeps it. */
  readonly opened: Set<number>;
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

/** On a narrow screen: a row that opens under a key's, with what has no column there. */
function detailOf(steps: Steps, key: number): { readonly opener: HTMLElement; readonly row: HTMLElement } {
  const { inputs, numbers, opened } = steps;
  const name = inputs.keyNames[key] ?? '';
  const line = (...content: (Node | string)[]) => make('span', {}, ...content);
  const exp = (numbers.isSeen[key] ?? true) && key < steps.read ? (numbers.exps[key] ?? 0) : 0;
  const row = make(
    'tr',
    { class: 'key-detail', hidden: !opened.has(key) },
    make(
      'td',
      { colspan: 7 },
      line(b('key', 'k'), ' ', vector(rowOf(inputs.keys, key), 'key')),
      line(b('value', 'v'), ' ', vector(rowOf(inputs.values, key), 'value')),
      line(b('query', 'q'), ' · ', b('key', 'k'), ` = ${figures(numbers.dots[key] ?? 0)}`),
      line(`${words.attention.expOfScore} = ${figures(exp)}`),
    ),
  );
  const opener = make(
    'button',
    {
      type: 'button',
      class: 'key-opener',
      'aria-label': words.attention.vectorsOf(name),
      'aria-expanded': `${opened.has(key)}`,
    },
    make('span', { 'aria-hidden': 'true' }, '▾'),
  );
  opener.addEventListener('click', () => {
    row.hidden = !row.hidden;
    opener.setAttribute('aria-expanded', `${!row.hidden}`);
    if (row.hidden) opened.delete(key);
    else opened.add(key);
  });
  return { opener, row };
}

function weightCell(weight: number): HTMLElement {
  const bar = make('span', { class: 'weight-bar', 'aria-hidden': 'true' });
  bar.style.setProperty('--share', weight.toFixed(4));
  return make('td', { class: 'weight' }, bar, figures(weight));
}

function drawRow(steps: Steps, key: number): HTMLElement[] {
  const { inputs, numbers, read } = steps;
  const isSeen = numbers.isSeen[key] ?? true;
  const isRead = key < read;
  const [dot, score, exp, weight] = [numbers.dots, numbers.scores, numbers.exps, numbers.weights].map(
    (all) => all[key] ?? 0,
  );
  const { opener, row } = detailOf(steps, key);
  const name = nameOf(steps, key);
  name.append(opener);
  const line = make(
    'tr',
    { class: isRead ? '' : 'unread' },
    name,
    make('td', {}, vector(rowOf(inputs.keys, key), 'key')),
    make('td', {}, figures(dot ?? 0)),
    make('td', isSeen ? {} : { class: 'minus-infinity' }, isSeen ? figures(score ?? 0) : '−∞'),
    make('td', {}, isRead ? figures(isSeen ? (exp ?? 0) : 0) : '–'),
    isRead ? weightCell(weight ?? 0) : make('td', {}, '–'),
    make('td', {}, vector(rowOf(inputs.values, key), 'value')),
  );
  return [line, row];
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
    make('tbody', {}, ...inputs.keyNames.flatMap((_, key) => drawRow(steps, key))),
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
