/** The English words above, the French words below, and the ribbons between them. */

import { cssColour, inkOn, onSchemeChange } from '../drawing/colours.js';
import { make } from '../drawing/dom.js';
import { crossHead, type Reading, strongest } from '../reading/reading.js';
import { groupOf, pronounOf } from '../reading/swaps.js';
import { type Token, tokenClass } from '../reading/tokens.js';
import type { Selection } from '../selection/selection.js';
import { type Ribbon, Ribbons } from './ribbons.js';

/** A French word less probable than this is underlined. */
export const unsure = 0.8;

/** A weight below this is too little for a ribbon. */
const thinnest = { quiet: 0.2, chosen: 0.04 };

export interface LoomOptions {
  readonly onEnglish: (token: number) => void;
  readonly onFrench: (token: number) => void;
}

export class Loom {
  readonly element: HTMLElement;
  readonly #options: LoomOptions;
  readonly #ribbons = new Ribbons();
  readonly #english = make('p', { class: 'words english', lang: 'en' });
  readonly #french = make('p', { class: 'words french', lang: 'fr' });
  #reading: Reading | null = null;
  #selection: Selection | null = null;
  #chosen = 0;
  #hovered: number | null = null;

  constructor(options: LoomOptions) {
    this.#options = options;
    this.element = make('div', { class: 'loom' }, this.#english, this.#french);
    this.element.prepend(this.#ribbons.element);
    const hover = (event: Event) => {
      const word = (event.target as Element).closest<HTMLElement>('.french .word');
      const hovered = word && event.type !== 'pointerleave' ? Number(word.dataset.index) : null;
      if (hovered === this.#hovered) return;
      this.#hovered = hovered;
      this.#weave();
    };
    this.element.addEventListener('pointerover', hover);
    this.element.addEventListener('pointerleave', hover);
    new ResizeObserver(() => this.#weave()).observe(this.element);
    onSchemeChange(() => this.#weave());
  }

  /** @param isWritten whether the French appears word by word */
  show(reading: Reading | null, { isWritten }: { isWritten: boolean }): void {
    this.#reading = reading;
    this.#hovered = null;
    const { source = [], written = [] } = reading ?? {};
    this.#english.replaceChildren(
      ...source.map((token, i) => this.#englishWord(token, i, groupOf(token).length > 0)),
    );
    this.#french.replaceChildren(
      ...written.map((token, i) => this.#frenchWord(token, i, token.probability < unsure)),
    );
    this.element.classList.toggle('written', isWritten);
    for (const [i, word] of [...this.#french.children].entries()) {
      (word as HTMLElement).style.setProperty('--turn', `${i / written.length}`);
    }
  }

  /** @param chosen the index of the French word that the page is about */
  select(selection: Selection, chosen: number): void {
    this.#selection = selection;
    this.#chosen = chosen;
    for (const [i, word] of [...this.#french.children].entries()) {
      word.setAttribute('aria-pressed', `${i === chosen}`);
    }
    this.#weave();
  }

  #englishWord(token: Token, index: number, isSwappable: boolean): HTMLElement {
    const attributes = { class: `word ${tokenClass(token)}`, 'data-index': index };
    if (!isSwappable) return make('span', attributes, token.label);
    const word = make('button', { ...attributes, type: 'button', title: 'Offer other words' }, token.label);
    word.addEventListener('click', () => this.#options.onEnglish(index));
    return word;
  }

  #frenchWord(token: Token, index: number, isUnsure: boolean): HTMLElement {
    const pronoun = pronounOf(token.label);
    const classes = ['word', tokenClass(token), pronoun && `pronoun ${pronoun}`, isUnsure && 'unsure'];
    const word = make(
      'button',
      { class: classes.filter(Boolean).join(' '), type: 'button', 'data-index': index },
      token.label,
    );
    word.addEventListener('click', () => this.#options.onFrench(index));
    return word;
  }

  /** Draws the ribbons, and colours the English words by what the French word looked at. */
  #weave(): void {
    const reading = this.#reading;
    const map = reading?.maps.cross;
    if (!reading || !map || !this.#selection) {
      this.#ribbons.show([]);
      return;
    }
    const chosen = this.#hovered ?? this.#chosen;
    const { layer, head } = crossHead(reading, this.#selection.head);
    const [english, french] = [[...this.#english.children], [...this.#french.children]];
    if (!french[chosen]) {
      this.#ribbons.show([]);
      return;
    }
    for (const [i, weight] of map.row(layer, head, chosen).entries()) {
      const style = (english[i] as HTMLElement).style;
      style.setProperty('background', cssColour('weight', weight));
      style.setProperty('color', inkOn('weight', weight));
    }
    const isOneLine = [english, french].every((words) => isOnOneLine(words as HTMLElement[]));
    const look = pronounOf(reading.written[chosen]?.label ?? '') ?? 'chosen';
    const ribbons = french.flatMap((to, i): Ribbon[] => {
      if (i !== chosen && !isOneLine) return [];
      const least = i === chosen ? thinnest.chosen : thinnest.quiet;
      const ends = [...map.row(layer, head, i)]
        .map((weight, key) => ({ weight, from: english[key] as Element }))
        .filter(({ weight }) => weight >= least)
        .sort((a, b) => b.weight - a.weight);
      return ends.map(({ weight, from }, rank) => ({
        name: `${i}.${rank}`,
        from,
        to,
        weight,
        look: i === chosen ? look : 'quiet',
      }));
    });
    this.#ribbons.show([...ribbons, ...this.#arcs(reading, chosen, english)]);
  }

  /** What the English word that the French one looked at looked at itself: in the head taught to find the antecedent. */
  #arcs(reading: Reading, chosen: number, english: readonly Element[]): Ribbon[] {
    const found = antecedentOf(reading, this.#selection, chosen);
    if (!found) return [];
    const [from, to] = [english[found.query], english[found.key]];
    const look = `arc ${pronounOf(reading.written[chosen]?.label ?? '') ?? 'chosen'}`;
    return from && to ? [{ name: 'antecedent', from, to, weight: found.weight, look, isArc: true }] : [];
  }
}

export interface Antecedent {
  /** Indices of source tokens: the pronoun, and what it stands for. */
  readonly query: number;
  readonly key: number;
  readonly weight: number;
}

/** What the English pronoun behind a French one looks at, where the model has a head that was taught it. */
export function antecedentOf(
  reading: Reading,
  selection: Selection | null,
  chosen: number,
): Antecedent | null {
  const { antecedent } = reading.taught;
  const { cross, encoder } = reading.maps;
  if (!antecedent || !cross || !encoder) return null;
  if (!pronounOf(reading.written[chosen]?.label ?? '')) return null;
  const head = crossHead(reading, selection?.head ?? null);
  const query = strongest(cross.row(head.layer, head.head, chosen));
  const row = encoder.row(antecedent.layer, antecedent.head, query);
  const key = strongest(row);
  return key === query ? null : { query, key, weight: row[key] ?? 0 };
}

function isOnOneLine(words: readonly HTMLElement[]): boolean {
  return words.every(({ offsetTop }) => Math.abs(offsetTop - (words[0]?.offsetTop ?? 0)) < 4);
}
