/** What may be read while each word is guessed: a few shapes, however many cells the sentence has. */

import { make } from '../../drawing/dom.js';
import { node } from '../../drawing/svg.js';
import { words } from '../../words/words.js';
import { type Half, maySee } from './compute.js';

/** With more words than this, no lines part the cells: they would be all that is seen. */
const mostParted = 40;

/** A cell for each pair of words: dark where one may be read while the other is guessed. */
export function maskOf(half: Half, count: number, guessed: number): HTMLElement {
  const rows = Array.from({ length: count }, (_, row) => ({ row, path: runsOf(half, row, count) }));
  const joined = (isCurrent: boolean) =>
    rows.flatMap(({ row, path }) => ((row === guessed) === isCurrent ? [path] : [])).join('');
  const picture = node('svg', { viewBox: `0 0 ${count} ${count}`, 'shape-rendering': 'crispEdges' });
  picture.append(
    node('rect', { class: 'track', width: count, height: count }),
    node('path', { class: 'on', d: joined(false) }),
    node('path', { class: 'on current', d: joined(true) }),
  );
  if (count <= mostParted) picture.append(node('path', { class: 'parts', d: linesOf(count) }));
  const attributes = { class: 'half-mask', role: 'img', 'aria-label': words.halves.mask(half) };
  return make('div', attributes, picture);
}

/** Of one row, cells side by side as one rectangle. */
function runsOf(half: Half, row: number, count: number): string {
  let path = '';
  for (let begin = 0; begin < count; begin++) {
    let end = begin;
    while (end < count && maySee(half, row, end)) end++;
    if (end > begin) path += `M${begin} ${row}H${end}V${row + 1}H${begin}Z`;
    begin = end;
  }
  return path;
}

const linesOf = (count: number) =>
  Array.from({ length: count - 1 }, (_, i) => `M0 ${i + 1}H${count}M${i + 1} 0V${count}`).join('');
