/** The heads of one layer, and the chosen one large. */

import { make } from '../dom.js';
import { HeatMap } from '../drawing/heat_map.js';
import type { Frame } from '../frame.js';
import { headLabel } from '../heads.js';
import { chosenHead, chosenWord } from '../reading.js';
import { percent } from '../tokens.js';
import type { Draw, Page, State } from '../view.js';

export function mount(frame: Frame, { selection }: Page): Draw {
  let state: State | null = null;
  const map = new HeatMap({
    label: 'Attention weights: a row for each query, a column for each key',
    describe: ({ row, column }) => describe(state, row, column),
    onSelect: ({ row }) => {
      if (state && chosenHead(state.reading, state.selection.head).kind !== 'encoder')
        selection.set({ word: row });
    },
  });
  frame.figure.append(map.element);
  return (next) => {
    state = next;
    const { reading } = next;
    const head = chosenHead(reading, next.selection.head);
    const weights = reading.maps[head.kind];
    if (!weights) return;
    const names = (tokens: readonly { label: string }[]) => tokens.map(({ label }) => label);
    const [rowNames, columnNames] = [names(weights.queries), names(weights.keys)];
    const values = weights.of(head.layer, head.head);
    map.show({
      values,
      rows: rowNames.length,
      columns: columnNames.length,
      rowNames,
      columnNames,
      text: (value) => `${Math.round(value * 100)}`,
      ...(head.kind === 'decoder' && { isEmpty: (row, column) => column > row }),
    });
    const row = head.kind === 'encoder' ? 0 : chosenWord(reading, next.selection.word);
    const strongest = weights
      .row(head.layer, head.head, row)
      .reduce((best, weight, i, all) => (weight > (all[best] ?? 0) ? i : best), 0);
    map.mark({ row, column: strongest });
    frame.say(make('b', {}, headLabel(head)), ': ', describe(next, row, strongest));
    frame.table(() => ({
      caption: `${headLabel(head)}: attention in percent`,
      columns: columnNames,
      rows: rowNames.map((name, i) => ({
        name,
        values: Array.from(weights.row(head.layer, head.head, i), (weight) => percent(weight)),
      })),
    }));
  };
}

function describe(state: State | null, row: number, column: number): string {
  if (!state) return '';
  const { reading, selection } = state;
  const head = chosenHead(reading, selection.head);
  const map = reading.maps[head.kind];
  const weight = map?.row(head.layer, head.head, row)[column] ?? 0;
  return `${map?.queries[row]?.label} looks at ${map?.keys[column]?.label}: ${percent(weight)}`;
}
