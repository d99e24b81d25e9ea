/** The two sentences that differ in one word, side by side, with what the pronoun looks at in each of them. */

import { find, make } from '../dom.js';
import { pair } from '../examples.js';
import { type Case, type HardestHead, hardestHead } from '../hardest_head.js';
import { percent, type Token, tokenText } from '../tokens.js';
import type { Reading } from '../translator.js';
import { LooksAt } from './looks_at.js';

type Kind = 'encoder' | 'cross';
type Open = (kind: Kind, choice: HardestHead, query: number) => void;
const names: Record<Kind, string> = { encoder: 'Encoder', cross: 'Cross-attention' };

/** A head that pays less attention than this looks mainly at something else. */
const leastShare = 0.5;

/** A head, and for each of the two sentences the pronoun and the keys it should look at. */
interface Finding {
  readonly kind: Kind;
  readonly head: HardestHead;
  readonly cases: readonly Case[];
}

export class Pronoun {
  readonly #root: HTMLElement;
  readonly #open: Open;

  /** @param open called to show the heat map of a head */
  constructor(root: HTMLElement, open: Open) {
    this.#root = root;
    this.#open = open;
  }

  /**
   * @param readings of the two sentences; empty if the page shows another one
   * @param current the index of the one on the page
   */
  show(readings: readonly Reading[], current: number): void {
    const findings = readings.length > 0 ? allFindings(readings) : [];
    this.#root.hidden = findings.length === 0;
    const blocks = findings.map((finding) =>
      make(
        'div',
        { class: 'card' },
        this.#link(finding, current),
        make('div', { class: 'readings' }, ...finding.cases.map((one) => lookOf(finding, one))),
      ),
    );
    find('.findings', this.#root).replaceChildren(...blocks);
  }

  #link({ kind, head, cases }: Finding, current: number): HTMLElement {
    const text = `${names[kind]}, layer ${head.layer + 1}, head ${head.head + 1}`;
    const button = make('button', { type: 'button', class: 'link' }, text);
    button.addEventListener('click', () => this.#open(kind, head, cases[current]?.query ?? 0));
    return make('h3', {}, button);
  }
}

function allFindings(readings: readonly Reading[]): Finding[] {
  const deciding = (i: number) => [pair.readings[i]?.decides ?? ''];
  const nouns = () => pair.nouns;
  return [
    ...findingOf(readings, 'encoder', deciding),
    ...findingOf(readings, 'encoder', nouns),
    ...findingOf(readings, 'cross', deciding),
    ...findingOf(readings, 'cross', nouns),
  ];
}

/** @param wanted the words that the pronoun should look at in each reading */
function findingOf(
  readings: readonly Reading[],
  kind: Kind,
  wanted: (reading: number) => readonly string[],
): Finding[] {
  const pronouns: readonly string[] = kind === 'encoder' ? [pair.source] : pair.written;
  const cases = readings.map((reading, i): Case => {
    const map = reading[kind];
    const query = map.queries.findLastIndex(({ label }) => pronouns.includes(label));
    const keys = wanted(i).map((word) => map.keys.findIndex(({ label }) => label === word));
    return { map, query, keys };
  });
  // The model may have written neither "il" nor "elle".
  if (cases.some(({ query }) => query < 0)) return [];
  const head = hardestHead(cases);
  return head.share < leastShare ? [] : [{ kind, head, cases }];
}

/** The English sentence, shaded by the pronoun's attention, and its largest weight among the wanted words. */
function lookOf({ kind, head }: Finding, { map, query, keys }: Case): HTMLElement {
  const row = map.row(head.layer, head.head, query);
  const looksAt = new LooksAt();
  looksAt.show(map.keys, row, kind === 'encoder' ? { query } : {});
  const key = keys.reduce((best, one) => ((row[one] ?? 0) > (row[best] ?? 0) ? one : best));
  const pronoun = make('b', { class: 'query' }, tokenText(map.queries[query] as Token));
  const noun = make('b', { class: 'key' }, tokenText(map.keys[key] as Token));
  const words =
    kind === 'encoder' ? [pronoun, ' looks at '] : ['Writing ', pronoun, ', the decoder looks at '];
  const share = make('b', {}, percent(row[key] ?? 0));
  return make('div', {}, make('p', { class: 'reading' }, ...words, noun, ': ', share), looksAt.element);
}
