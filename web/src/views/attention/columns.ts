/** Draws one attention as a table: a column for each key, a row for each step, vectors as strips of coloured cells. */

import { make } from '../../dom.js';
import { cssColour, inkOn, type Scale } from '../../drawing/colours.js';
import { percent } from '../../tokens.js';
import type { Numbers } from './numbers.js';
import type { Inputs } from './sources.js';

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

export function drawSteps({ inputs, numbers, query, factorText, read, onHide }: Steps): HTMLElement {
  const { keyNames, queryNames } = inputs;
  const { dots, scores, isSeen, exps, weights, weighted, output } = numbers;
  const rowOf = (
    { data, shape }: { readonly data: Float32Array; readonly shape: readonly number[] },
    row: number,
  ) => data.subarray(row * (shape[1] ?? 0), (row + 1) * (shape[1] ?? 0));
  const [largestKey, largestDot, largestScore] = [inputs.keys.data, dots, scores].map(largestOf) as [
    number,
    number,
    number,
  ];
  const largestValue = largestOf(inputs.values.data);
  const row = (name: (Node | string)[], first: Node | string, cells: (key: number) => Node) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, ...name),
      make('td', { class: 'first' }, first),
      ...keyNames.map((_, key) => {
        const cell = cells(key) as HTMLElement;
        cell.classList.toggle('unread', key >= read);
        return cell;
      }),
    );
  const heads = keyNames.map((name, key) => {
    const button = make(
      'button',
      { type: 'button', 'aria-pressed': `${!isSeen[key]}`, title: `Hide or show ${name}` },
      name,
    );
    button.addEventListener('click', () => onHide(key));
    return make('th', { scope: 'col', class: isSeen[key] ? 'key' : 'key hidden-key' }, button);
  });
  const blank = (key: number, cell: () => HTMLElement) =>
    isSeen[key] && key < read ? cell() : make('td', {}, '–');
  const table = make(
    'table',
    {},
    make(
      'thead',
      {},
      make(
        'tr',
        {},
        make('td'),
        make('th', { scope: 'col', class: 'query' }, queryNames[query] ?? ''),
        ...heads,
      ),
    ),
    make(
      'tbody',
      {},
      row(
        [make('b', { class: 'query' }, 'q'), ' and ', make('b', { class: 'key' }, 'k')],
        strip(rowOf(inputs.queries, query), largestKey, 'of-query'),
        (key) => make('td', {}, strip(rowOf(inputs.keys, key), largestKey)),
      ),
      row([make('b', { class: 'query' }, 'q'), ' · ', make('b', { class: 'key' }, 'k')], '', (key) =>
        numberCell(short(dots[key] ?? 0), { scale: 'signed', value: (dots[key] ?? 0) / largestDot }),
      ),
      row([factorText], '', (key) =>
        numberCell(short(scores[key] ?? 0), { scale: 'signed', value: (scores[key] ?? 0) / largestScore }),
      ),
      row(['mask'], '', (key) => make('td', {}, isSeen[key] ? 'seen' : '−∞')),
      row(['exp(score − largest)'], `Σ ${short(numbers.sum)}`, (key) =>
        blank(key, () => make('td', {}, short(exps[key] ?? 0))),
      ),
      row(['÷ Σ = weight'], weights.some((weight) => weight > 0) ? '100 %' : '0 %', (key) =>
        blank(key, () =>
          numberCell(percent(weights[key] ?? 0), { scale: 'weight', value: weights[key] ?? 0 }),
        ),
      ),
      row(
        ['Σ weight × ', make('b', { class: 'value' }, 'v')],
        strip(output, largestValue, 'of-output'),
        (key) => make('td', {}, strip(rowOf(weighted, key), largestValue)),
      ),
    ),
  );
  return make(
    'div',
    { class: 'steps', tabindex: 0, role: 'group', 'aria-label': 'One attention, step by step' },
    table,
  );
}
