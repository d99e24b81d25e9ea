/** The two sentences that differ in one word, and what "it" and "il" or "elle" look at in each of them. */

import { type Case, type Contrast, clearestHead } from '../contrast.js';
import { find, make } from '../dom.js';
import { pair } from '../examples.js';
import { percent, type Token } from '../tokens.js';
import type { Reading } from '../translator.js';
import { LooksAt } from './looks_at.js';

const kinds = ['encoder', 'cross'] as const;
type Kind = (typeof kinds)[number];
const names: Record<Kind, string> = { encoder: 'encoder', cross: 'cross-attention' };

/** By how much a noun must be ahead of the other for a reader to see it. */
const visibleLead = 0.1;

/** In one kind of attention: the head that tells the sentences apart, and the pronoun in each of them. */
interface Finding {
  readonly kind: Kind;
  readonly contrast: Contrast;
  readonly cases: readonly Case[];
}

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
    const findings = readings.length > 0 ? kinds.flatMap((kind) => findingOf(readings, kind)) : [];
    // Where no head of the model tells the two apart there is nothing to show.
    this.#root.hidden = findings.length === 0;
    if (this.#root.hidden) return;
    const cards = readings.map((_, i) =>
      make(
        'div',
        { class: i === current ? 'card current' : 'card' },
        ...findings.flatMap((finding) => line(finding, i)),
      ),
    );
    find('.readings', this.#root).replaceChildren(...cards);
    const links = findings.flatMap((finding, i) => [i > 0 ? ' and ' : '', this.#link(finding, current)]);
    find('.note', this.#root).replaceChildren(
      'Of all heads the one that tells them apart best: ',
      ...links,
      '.',
    );
  }

  #link({ kind, contrast, cases }: Finding, current: number): HTMLElement {
    const { layer, head } = contrast;
    const text = `${names[kind]}, layer ${layer + 1}, head ${head + 1}`;
    const button = make('button', { type: 'button', class: 'link' }, text);
    button.addEventListener('click', () => this.#open(kind, contrast, cases[current]?.query ?? 0));
    return button;
  }
}

/** What can be seen in one kind of attention, if anything can. */
function findingOf(readings: readonly Reading[], kind: Kind): Finding[] {
  const cases = readings.flatMap((reading, i) => caseOf(reading, i, kind) ?? []);
  if (cases.length < readings.length) return [];
  const contrast = clearestHead(cases);
  return contrast.lead < visibleLead ? [] : [{ kind, contrast, cases }];
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
function line({ kind, contrast: { layer, head }, cases }: Finding, reading: number): HTMLElement[] {
  const { map, query, right, wrong } = cases[reading] as Case;
  const row = map.row(layer, head, query);
  const looksAt = new LooksAt();
  looksAt.show(map.keys, row, kind === 'encoder' ? { query } : {});
  const pronoun = map.queries[query] as Token;
  const share = (key: number) => [
    make('b', { class: 'key' }, map.keys[key]?.label ?? ''),
    ` ${percent(row[key] ?? 0)}`,
  ];
  const words = make(
    'p',
    { class: 'reading' },
    make('b', { class: 'query', lang: pronoun.language }, pronoun.label),
    ' looks at ',
    ...share(Math.min(right, wrong)),
    ' and at ',
    ...share(Math.max(right, wrong)),
  );
  return [words, looksAt.element];
}
