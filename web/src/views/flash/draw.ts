/** The tiles of one row: what has gone by, what is read now, what is still to come, and what is kept after each. */

import { make } from '../../drawing/dom.js';
import { figures } from '../../reading/figures.js';
import { separator } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import { type TileStep, weightsAfter } from './compute.js';

export interface Stream {
  readonly steps: readonly TileStep[];
  readonly scores: readonly number[];
  readonly names: readonly string[];
  /** How many tiles have been read. */
  readonly read: number;
}

export function drawStream(stream: Stream): HTMLElement[] {
  const { steps, read } = stream;
  const current = steps[read - 1];
  const weights = current ? weightsAfter(stream.scores, current) : [];
  const tiles = steps.map((step, i) => drawTile(stream, { step, i, weights }));
  return [
    make(
      'div',
      { class: 'flash-tiles', tabindex: 0, role: 'group', 'aria-label': words.flash.row },
      ...tiles,
    ),
    make('div', { class: 'flash-kept' }, ...(current ? kept(current, steps[read - 2]) : [])),
  ];
}

function drawTile(
  { scores, names, read }: Stream,
  { step, i, weights }: { readonly step: TileStep; readonly i: number; readonly weights: readonly number[] },
): HTMLElement {
  const kind = i + 1 === read ? 'now' : i + 1 < read ? 'gone' : 'to-come';
  const words = Array.from({ length: step.to - step.from }, (_, j) => {
    const key = step.from + j;
    const weight = weights[key] ?? Number.NaN;
    const bar = make('span', { class: 'flash-bar' });
    bar.style.setProperty('--weight', Number.isNaN(weight) ? '0' : weight.toFixed(4));
    const isMax = kind !== 'to-come' && scores[key] === step.max;
    return make(
      'div',
      { class: isMax ? 'flash-word largest' : 'flash-word' },
      make('span', { class: 'flash-column' }, bar),
      make('b', {}, names[key] ?? ''),
      make('span', { class: 'flash-score' }, kind === 'to-come' ? '' : figures(scores[key] ?? 0)),
    );
  });
  const isNew = i > 0 && step.factor < 1 && kind !== 'to-come';
  const factor = i === 0 || kind === 'to-come' ? '' : `× ${figures(step.factor)}`;
  return make(
    'div',
    { class: `flash-tile ${kind}` },
    make('span', { class: isNew ? 'flash-factor corrects' : 'flash-factor' }, factor),
    make('div', { class: 'flash-words' }, ...words),
  );
}

/** The three lines of arithmetic of the tile that is read. */
function kept({ tileMax, max, factor, sum }: TileStep, before: TileStep | undefined): HTMLElement[] {
  const line = (name: readonly (Node | string)[], arithmetic: string, value: number) =>
    make(
      'div',
      { class: 'flash-line' },
      make('span', { class: 'flash-name' }, ...name),
      make('span', { class: 'note' }, arithmetic),
      make('b', { class: 'flash-value' }, figures(value)),
    );
  const added = sum - (before?.sum ?? 0) * factor;
  return [
    line(
      [words.flash.runningMaximum],
      before ? `max(${figures(before.max)}${separator}${figures(tileMax)})` : words.flash.ofTile,
      max,
    ),
    line(
      [
        words.flash.factor,
        ' exp(m',
        make('sub', {}, words.flash.before),
        ' − m',
        make('sub', {}, words.flash.now),
        ')',
      ],
      before
        ? `exp(${figures(before.max)} − ${max < 0 ? `(${figures(max)})` : figures(max)})`
        : words.flash.nothingToCorrect,
      before ? factor : 1,
    ),
    line(
      [words.flash.runningSum],
      before ? `${figures(before.sum)} × ${figures(factor)} + ${figures(added)}` : 'Σ exp(score − m)',
      sum,
    ),
  ];
}
