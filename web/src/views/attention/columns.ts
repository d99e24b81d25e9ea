/** Draws one attention as a table: a column for each key, a row for each step, vectors as strips of coloured cells. */

import { cssColour, inkOn, type Scale } from '../../drawing/colours.js';
import { make } from '../../drawing/dom.js';
import type { Inputs } from '../../reading/inputs.js';
import { percent } from '../../reading/tokens.js';
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

const short = (value: number) => value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

const largestOf = (values: ArrayLike<number>) => Math.max(1e-9, ...Array.from(values, Math.abs));

/** A vector as a column of cells: one gradient with hard edges, for a long sentence has hundreds of vectors. */
function strip(values: ArrayLike<number>, limit: number, className = ''): HTMLElement {
  const element = make('span', { class: `strip ${className}`, 'aria-hidden': 'true' });
  const edge = (i: number) => `${((100 * i) / values.length).toFixed(2)}%`;
  const cells = Array.from(
    values,
    (value, i) => `${cssColour('signed', value / limit)} ${edge(i)} ${edge(i + 1)}`,
  );
  element.style.setProperty('background-image', `linear-gradient(${cells.join()})`);
  return element;
}

/** A cell with a number on the colour of a value. */
function numberCell(
  text: string,
  colour: { readonly scale: Scale; readonly value: number } | null,
): HTMLElement {
  const cell = make('td', {}, text);
  if (!colour) return cell;
  cell.style.setProperty('background', cssColour(colour.scale, colour.value));
  cell.style.setProperty('color', inkOn(colour.scale, colour.value));
  return cell;
}

const rowOf = (
  { data, shape }: { readonly data: Float32Array; readonly shape: readonly number[] },
  row: number,
) => data.subarray(row * (shape[1] ?? 0), (row + 1) * (shape[1] ?? 0));

const b = (name: 'query' | 'key' | 'value', letter: string) => make('b', { class: name }, letter);

/** The keys' names, each of which hides its key. */
const headsOf = ({ inputs, numbers, onHide }: Steps) =>
  inputs.keyNames.map((name, key) => {
    const isSeen = numbers.isSeen[key];
    const button = make(
      'button',
      { type: 'button', 'aria-pressed': `${!isSeen}`, title: `Hide or show ${name}` },
      name,
    );
    button.addEventListener('click', () => onHide(key));
    return make('th', { scope: 'col', class: isSeen ? 'key' : 'key hidden-key' }, button);
  });

/** One step: its name, the query's cell, and a cell for each key. */
interface Row {
  readonly name: readonly (Node | string)[];
  readonly first: Node | string;
  readonly cell: (key: number) => HTMLElement;
}

/** Up to the scores: what each key has before it is known which of them are seen. */
function scoreRows({ inputs, numbers, query, factorText }: Steps): Row[] {
  const { dots, scores, isSeen } = numbers;
  const [largestKey, largestDot, largestScore] = [
    largestOf(inputs.keys.data),
    largestOf(dots),
    largestOf(scores),
  ];
  const signed = (value = 0, limit: number) =>
    numberCell(short(value), { scale: 'signed', value: value / limit });
  return [
    {
      name: [b('query', 'q'), ' and ', b('key', 'k')],
      first: strip(rowOf(inputs.queries, query), largestKey, 'of-query'),
      cell: (key) => make('td', {}, strip(rowOf(inputs.keys, key), largestKey)),
    },
    {
      name: [b('query', 'q'), ' · ', b('key', 'k')],
      first: '',
      cell: (key) => signed(dots[key], largestDot),
    },
    { name: [factorText], first: '', cell: (key) => signed(scores[key], largestScore) },
    { name: ['mask'], first: '', cell: (key) => make('td', {}, isSeen[key] ? 'seen' : '−∞') },
  ];
}

/** From the exponentials to the sum of the values. */
function weightRows({ inputs, numbers, read }: Steps): Row[] {
  const { isSeen, exps, weights, weighted, output } = numbers;
  const largestValue = largestOf(inputs.values.data);
  const blank = (key: number, cell: () => HTMLElement) =>
    isSeen[key] && key < read ? cell() : make('td', {}, '–');
  const share = (weight = 0) => numberCell(percent(weight), { scale: 'weight', value: weight });
  return [
    {
      name: ['exp(score − largest)'],
      first: `Σ ${short(numbers.sum)}`,
      cell: (key) => blank(key, () => make('td', {}, short(exps[key] ?? 0))),
    },
    {
      name: ['÷ Σ = weight'],
      first: weights.some((weight) => weight > 0) ? '100 %' : '0 %',
      cell: (key) => blank(key, () => share(weights[key])),
    },
    {
      name: ['Σ weight × ', b('value', 'v')],
      first: strip(output, largestValue, 'of-output'),
      cell: (key) => make('td', {}, strip(rowOf(weighted, key), largestValue)),
    },
  ];
}

export function drawSteps(steps: Steps): HTMLElement {
  const { inputs, query, read } = steps;
  const cellOf = ({ cell }: Row, key: number) => {
    const element = cell(key);
    element.classList.toggle('unread', key >= read);
    return element;
  };
  const drawRow = (row: Row) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, ...row.name),
      make('td', { class: 'first' }, row.first),
      ...inputs.keyNames.map((_, key) => cellOf(row, key)),
    );
  const chosen = make('th', { scope: 'col', class: 'query' }, inputs.queryNames[query] ?? '');
  const table = make(
    'table',
    {},
    make('thead', {}, make('tr', {}, make('td'), chosen, ...headsOf(steps))),
    make('tbody', {}, ...[...scoreRows(steps), ...weightRows(steps)].map(drawRow)),
  );
  return make(
    'div',
    { class: 'steps', tabindex: 0, role: 'group', 'aria-label': 'One attention, step by step' },
    table,
  );
}
