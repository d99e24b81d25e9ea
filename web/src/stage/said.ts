/** What the stage says of a reading, in words. */

import { make } from '../drawing/dom.js';
import { crossHead, type Reading, strongest } from '../reading/reading.js';
import type { Outcome } from '../reading/readings.js';
import { percent } from '../reading/tokens.js';
import { headLabel } from '../selection/heads.js';
import type { Selection } from '../selection/selection.js';
import { antecedentOf } from './loom.js';

/** What was done, and how fast. @param before what stands there now */
export function noteOf(reading: Reading | null, outcome: Outcome, before: string): string {
  if (outcome.kind === 'empty') return 'Type a sentence, or choose an example.';
  if (outcome.kind === 'failed') return '';
  // A built-in reading takes no time, and must not hide how far the model is.
  if (outcome.milliseconds === null) return before;
  const { milliseconds } = outcome;
  const took = milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0);
  return `${reading?.written.length ?? 0} tokens with all their attention in ${took} ms`;
}

/** The picture in one sentence. */
export function sentenceOf(reading: Reading, selection: Selection, chosen: number): (Node | string)[] {
  const map = reading.maps.cross;
  const token = reading.written[chosen];
  if (!map || !token) return [];
  const head = crossHead(reading, selection.head);
  const row = map.row(head.layer, head.head, chosen);
  const key = strongest(row);
  const found = antecedentOf(reading, selection, chosen);
  const source = (i: number) => make('b', { class: 'key', lang: 'en' }, reading.source[i]?.label ?? '');
  return [
    'Writing ',
    make('b', { class: 'query', lang: 'fr' }, token.label),
    ` (${percent(token.probability)}), it looked at `,
    source(key),
    `: ${percent(row[key] ?? 0)}`,
    ...(found
      ? ['; ', source(found.query), ' looked at ', source(found.key), `: ${percent(found.weight)}`]
      : []),
    `. ${headLabel(head)}.`,
  ];
}
