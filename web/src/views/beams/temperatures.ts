/** What a temperature does: the shown words of one place, their shares among one another at three temperatures. */

import { make } from '../../drawing/dom.js';
import type { Candidate } from '../../reading/reading.js';
import { percent } from '../../reading/tokens.js';
import { decimals } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import { tempered } from './compute.js';

const temperatures = [0.5, 1, 2];

export function drawTemperatures(candidates: readonly Candidate[]): HTMLElement {
  const columns = temperatures.map((temperature) =>
    tempered(
      candidates.map(({ probability }) => probability),
      temperature,
    ),
  );
  return make(
    'table',
    { class: 'temperatures' },
    make('caption', {}, words.notes.sampling.table),
    make(
      'tr',
      {},
      make('td'),
      ...temperatures.map((temperature) => make('th', { scope: 'col' }, `T = ${decimals(`${temperature}`)}`)),
    ),
    ...candidates.map(({ label }, i) =>
      make(
        'tr',
        {},
        make('th', { scope: 'row', lang: 'fr' }, label),
        ...columns.map((shares) => make('td', {}, percent(shares[i] ?? 0))),
      ),
    ),
  );
}
