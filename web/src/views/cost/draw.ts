/** Costs as lists of bars. */

import type { ProfiledPass } from 'transformer-wasm';
import { make } from '../../drawing/dom.js';
import type { NumberTable } from '../../page/frame.js';
import { decimals } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import { type Cost, kindNames, type PartKind } from './compute.js';
import type { Growth, Variant } from './measure.js';

export type Costs = Readonly<Record<PartKind, Cost>>;

export const milliseconds = (time: number) =>
  `${decimals(time >= 10 ? time.toFixed(0) : time >= 1 ? time.toFixed(1) : time.toFixed(3))} ms`;
const bytes = (count: number) =>
  count >= 1e6
    ? words.page.megabytes(decimals((count / 1e6).toFixed(2)))
    : words.page.kilobytes(decimals((count / 1e3).toFixed(count >= 1e4 ? 0 : 1)));
const operations = (count: number) => words.cost.million(decimals((count / 1e6).toFixed(2)));

/** A row with a bar as long as its share. */
function barRow(name: string, share: number, text: string): HTMLElement {
  const bar = make('span', { class: 'bar-of-cost' });
  bar.style.setProperty('width', `${Math.max(0, Math.min(1, share)) * 100}%`);
  return make(
    'li',
    {},
    make('span', {}, name),
    make('span', { class: 'track' }, bar),
    make('span', { class: 'amount' }, text),
  );
}

export function showParts(list: HTMLElement, all: number, kinds: readonly PartKind[], costs: Costs): void {
  list.replaceChildren(
    ...kinds.map((kind) => {
      const cost = costs[kind];
      const text = `${milliseconds(cost.milliseconds)} · ${bytes(cost.bytes)}`;
      return barRow(kindNames[kind], cost.milliseconds / all, text);
    }),
  );
}

export const tableOf = (
  name: string,
  { tokens }: ProfiledPass,
  kinds: readonly PartKind[],
  costs: Costs,
): NumberTable => ({
  caption: words.cost.table(name, tokens),
  columns: [words.cost.columns.milliseconds, words.cost.columns.operations, words.cost.columns.bytes],
  rows: kinds.map((kind) => ({
    name: kindNames[kind],
    values: [costs[kind].milliseconds.toPrecision(3), Math.round(costs[kind].flops), costs[kind].bytes],
  })),
});

export function showGrowth(list: HTMLElement, grown: readonly Growth[]): void {
  const most = Math.max(...grown.map(({ squared, linear }) => squared + linear));
  list.replaceChildren(
    ...grown.map(({ tokens, squared, linear, milliseconds: time }) =>
      barRow(
        words.cost.tokens(tokens),
        (squared + linear) / most,
        `n${words.marks.colon}${operations(linear)}${words.marks.comma}n²${words.marks.colon}${operations(squared)} · ${milliseconds(time)}`,
      ),
    ),
  );
}

export function showVariants(list: HTMLElement, tried: readonly Variant[]): void {
  const most = Math.max(...tried.map(({ milliseconds: time }) => time));
  list.replaceChildren(
    ...tried.map(({ threads, dtype, weightBytes, milliseconds: time }) =>
      barRow(
        `${threads === 1 ? words.cost.oneThread : words.cost.threads(threads)}${words.marks.comma}${dtype}`,
        time / most,
        words.cost.weights(milliseconds(time), bytes(weightBytes)),
      ),
    ),
  );
}
