/** The two sentences that differ in one word, and what "it" and "il" or "elle" look at in each of them. */

import { type Case, type Contrast, clearestHead } from '../contrast.js';
import { find, make } from '../dom.js';
import { pair } from '../examples.js';
import { percent, type Token } from '../tokens.js';
import type { Reading } from '../translator.js';
import { LooksAt } from './looks_at.js';

type Kind = 'encoder' | 'cross';
type Open = (kind: Kind, choice: Contrast, query: number) => void;

export class Pronoun {
  readonly #root: HTMLElement;
  readonly #open: Open;

  /** @param open called when the reader wants to see the whole head */
  constructor(root: HTMLElement, open: Open) {
    this.#root = root;
    this.#open = open;
  }

  /**
   * @param readings of the pair's sentences; none where the page shows another one
   * @param current which of them is on the page
   */
  show(readings: readonly Reading[], current: number): void {
    const encoder = readings.map((reading, i) => caseOf(reading, i, 'encoder'));
    const cross = readings.map((reading, i) => caseOf(reading, i, 'cross'));
    const all = [...encoder, ...cross];
    // A model may also write neither "il" nor "elle"; then there is nothing to show.
    this.#root.hidden = all.length === 0 || all.includes(null);
    if (this.#root.hidden) return;
    const inEncoder = clearestHead(encoder as Case[]);
    const inCross = clearestHead(cross as Case[]);
    const cards = readings.map((reading, i) =>
      make(
        'div',
        { class: i === current ? 'card current' : 'card' },
        ...line(reading.source, encoder[i] as Case, inEncoder, true),
        ...line(reading.written, cross[i] as Case, inCross, false),
      ),
    );
    find('.readings', this.#root).replaceChildren(...cards);
    find('.note', this.#root).replaceChildren(
      'Of all heads these tell the two apart best: ',
      this.#link('encoder', inEncoder, encoder[current] as Case),
      ' and ',
      this.#link('cross', inCross, cross[current] as Case),
      '.',
    );
  }

  #link(kind: Kind, contrast: Contrast, { query }: Case): HTMLElement {
    const name = kind === 'encoder' ? 'encoder' : 'cross-attention';
    const button = make(
      'button',
      { type: 'button', class: 'link' },
      `${name}, layer ${contrast.layer + 1}, head ${contrast.head + 1}`,
    );
    button.addEventListener('click', () => this.#open(kind, contrast, query));
    return button;
  }
}

function caseOf({ encoder, cross, source, written }: Reading, reading: number, kind: Kind): Case | null {
  const map = kind === 'encoder' ? encoder : cross;
  const isPronoun = ({ label }: Token) =>
    kind === 'encoder' ? label === pair.source : pair.written.some((word) => word === label);
  const query = (kind === 'encoder' ? source : written).findLastIndex(isPronoun);
  const [right = -1, wrong = -1] = [reading, 1 - reading].map((i) =>
    source.findIndex(({ label }) => label === pair.readings[i]?.means),
  );
  return query < 0 || right < 0 || wrong < 0 ? null : { map, query, right, wrong };
}

/** The English sentence, shaded by what the pronoun looks at, and the two numbers that matter. */
function line(
  queries: readonly Token[],
  { map, query, right, wrong }: Case,
  { layer, head }: Contrast,
  isSelf: boolean,
): HTMLElement[] {
  const row = map.row(layer, head, query);
  const looksAt = new LooksAt();
  looksAt.show(map.keys, row, isSelf ? { query } : {});
  const pronoun = queries[query] as Token;
  const share = (key: number) => [
    make('span', { class: 'key' }, map.keys[key]?.label ?? ''),
    ` ${percent(row[key] ?? 0)}`,
  ];
  const words = make(
    'p',
    { class: 'reading' },
    make('b', { class: 'query', lang: pronoun.language }, pronoun.label),
    ' looks at ',
    ...share(right),
    ', at ',
    ...share(wrong),
  );
  return [words, looksAt.element];
}
