/** The English words above, the French words below, and the ribbons between them. */

import { make } from '../drawing/dom.js';
import { onWidthChange } from '../drawing/width.js';
import { rowOf } from '../reading/looks.js';
import type { Needs, Reading } from '../reading/reading.js';
import type { Look } from '../selection/look.js';
import { neededBy } from './claim.js';
import { clearLines, setLines } from './lines.js';
import { Ribbons } from './ribbons.js';
import { needsSaid } from './said.js';
import { rowLooks, singleRowOf, wordAt } from './single_row.js';
import { type Cloth, discsOf, type Place, weave } from './weave.js';
import { englishWords, frenchWords, markWords } from './words.js';

/** The size of the words in pixels; below the smallest, the loom scrolls sideways. */
const sizes = { usual: 30, lecture: 48, smallest: 20, inPicture: 6 };
/** Narrower than this, the words stand in several lines. */
const narrow = 720;

export interface LoomOptions {
  /** Without it, the English words are no buttons. */
  readonly onEnglish?: (token: number) => void;
  /** Without it, the French words are no buttons. */
  readonly onFrench?: (token: number) => void;
  /** Whether all strands are drawn alike, on any screen with each row in one line: a picture of the whole. */
  readonly isWhole?: boolean;
}

/** Where the words stand, and what was drawn between them. */
type Places = Pick<Cloth, 'english' | 'french' | 'scale' | 'isNarrow' | 'outlines'>;

/** What is shown of a reading. */
export interface Shown {
  readonly look: Look;
  /** Index of the chosen French word. */
  readonly chosen: number;
  /** `null` while they are not known. */
  readonly needs: Needs | null;
}

export class Loom {
  readonly element: HTMLElement;
  readonly english = make('div', { class: 'words english', lang: 'en' });
  readonly french = make('div', { class: 'words french', lang: 'fr' });
  readonly #options: LoomOptions;
  readonly #ribbons = new Ribbons();
  readonly #inside: HTMLElement;
  /** What the underlined words are; where the words stand in several lines, it is said below them. */
  readonly #needs = make('p', { class: 'needs-said' });
  #reading: Reading | null = null;
  #shown: Shown | null = null;
  #hovered: number | null = null;
  /** Until something moves, or another look is drawn. */
  #places: Places | null = null;

  constructor(options: LoomOptions) {
    this.#options = options;
    this.#inside = make(
      'div',
      { class: 'loom-inside' },
      this.#ribbons.element,
      make('div', { class: 'row' }, this.english, ...(options.isWhole ? [] : [this.#needs])),
      make('div', { class: 'row' }, this.french),
    );
    this.element = make('div', { class: 'loom' }, this.#inside);
    const hover = (event: Event) => {
      const word = (event.target as Element).closest<HTMLElement>(
        '.french .word, .single .english button.word',
      );
      const hovered = word && event.type !== 'pointerleave' ? Number(word.dataset.index) : null;
      if (hovered === this.#hovered) return;
      this.#hovered = hovered;
      this.#draw();
    };
    this.element.addEventListener('pointerover', hover);
    this.element.addEventListener('pointerleave', hover);
    onWidthChange(this.element, () => this.#fit());
    void document.fonts.ready.then(() => this.#fit());
  }

  /**
   * @param isWritten whether the French appears word by word
   * @param reserve called before the size of the words is found
   */
  show(reading: Reading | null, { isWritten, reserve }: { isWritten: boolean; reserve?: () => void }): void {
    this.#reading = reading;
    this.#shown = null;
    this.#hovered = null;
    this.#fill(reading);
    this.element.classList.toggle('written', isWritten);
    for (const [i, slot] of [...this.french.children].entries()) {
      (slot as HTMLElement).style.setProperty('--turn', `${i / this.french.children.length}`);
    }
    reserve?.();
    this.#size();
    if (reading) return;
    this.#needs.replaceChildren();
    this.draw();
  }

  #fill(reading: Reading | null): void {
    const { onEnglish, onFrench } = this.#options;
    const single = reading && singleRowOf(reading);
    this.element.classList.toggle('single', single !== null);
    if (reading && single) {
      const choose = onFrench && ((place: number) => onFrench(wordAt(reading, place)));
      this.english.replaceChildren(...englishWords({ text: single.text, source: single.tokens }, choose));
      this.french.replaceChildren();
      return;
    }
    this.english.replaceChildren(...(reading ? englishWords(reading, onEnglish) : []));
    this.french.replaceChildren(...(reading ? frenchWords(reading, onFrench) : []));
  }

  /** Whether there are words. */
  get isDrawn(): boolean {
    return this.#reading !== null;
  }

  get englishWords(): HTMLElement[] {
    return this.#words(this.english);
  }

  select(shown: Shown): void {
    this.#shown = shown;
    const said = this.#reading ? needsSaid(this.#reading, shown.needs, shown.chosen) : [];
    this.#needs.replaceChildren(...said);
    const row = this.#isSingle ? this.english : this.french;
    for (const [i, word] of this.#words(row).entries())
      if (word instanceof HTMLButtonElement) word.setAttribute('aria-pressed', `${i === shown.chosen}`);
    this.#setLines(shown.chosen);
    this.draw();
  }

  /** On a narrow screen: the words in lines, with room for the ribbons of the chosen one. */
  #setLines(chosen: number): void {
    for (const row of [this.english, this.french]) {
      if (this.#isNarrow && !this.#isSingle) setLines(row, row === this.french ? chosen : null);
      else clearLines(row);
    }
  }

  /** The English word of a token. */
  word(token: number): HTMLElement | undefined {
    return this.#words(this.english)[token];
  }

  #words(row: HTMLElement): HTMLElement[] {
    return [...row.querySelectorAll<HTMLElement>('.word')];
  }

  get #isSingle(): boolean {
    return this.element.classList.contains('single');
  }

  get #isNarrow(): boolean {
    return !this.#options.isWhole && this.element.clientWidth < narrow;
  }

  #fit(): void {
    this.#size();
    if (this.#shown) this.#setLines(this.#shown.chosen);
    this.draw();
  }

  /** The largest size at which both rows stand in one line each; what is still too long is scrolled. */
  #size(): void {
    const { clientWidth } = this.element;
    this.element.classList.toggle('narrow', this.#isNarrow);
    this.#inside.style.removeProperty('--size');
    if (this.#isNarrow || clientWidth === 0) return;
    const { paddingLeft, paddingRight } = getComputedStyle(this.#inside);
    const room = clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    const largest = document.documentElement.classList.contains('present') ? sizes.lecture : sizes.usual;
    const smallest = this.#options.isWhole ? sizes.inPicture : sizes.smallest;
    let size: number = largest;
    // Not all of a row grows with its letters: what was estimated at the usual size is measured once more.
    for (let pass = 0; pass < 2; pass++) {
      const longest = Math.max(this.english.scrollWidth, this.french.scrollWidth, 1);
      size = Math.max(smallest, Math.min(largest, (size * room) / longest));
      this.#inside.style.setProperty('--size', `${size.toFixed(2)}px`);
    }
  }

  /** Draws all anew, after whatever may have moved a word. */
  draw(): void {
    this.#places = null;
    this.#draw();
  }

  /** Draws the ribbons, and underlines what the French word needed. */
  #draw(): void {
    const [reading, shown] = [this.#reading, this.#shown];
    if (!reading || !shown) {
      this.#ribbons.show([], { top: 0, bottom: 0, discs: [] });
      return;
    }
    const chosen = this.#hovered ?? shown.chosen;
    const looked = this.#isSingle
      ? rowLooks(reading, chosen)
      : rowOf(reading, { kind: 'cross', look: shown.look, query: chosen });
    markWords([...this.english.children], {
      looked,
      needed: new Set(neededBy(reading, shown.needs, chosen).map(({ source }) => source)),
    });
    this.#places ??= this.#measure();
    const { english, french } = this.#places;
    const { isWhole = false } = this.#options;
    const cloth = { reading, look: shown.look, chosen, isWhole, ...this.#places };
    const rows = { top: Math.max(...english.map(({ bottom }) => bottom)), bottom: french[chosen]?.top ?? 0 };
    // What is only pointed at is not what the steps tell.
    const discs = chosen === shown.chosen && !isWhole ? discsOf(cloth) : [];
    this.#ribbons.show(weave(cloth), { ...rows, discs });
  }

  #measure(): Places {
    const box = this.#ribbons.element.getBoundingClientRect();
    // The ribbons of words in one line begin below what is said there.
    const saidAt = this.#isNarrow ? 0 : this.#needs.getBoundingClientRect().bottom - box.top;
    const placeOf = (above: Element, below: Element): Place => {
      const [upper, lower] = [above.getBoundingClientRect(), below.getBoundingClientRect()];
      return {
        x: (upper.left + upper.right) / 2 - box.left,
        top: upper.top - box.top - 3,
        bottom: Math.max(saidAt, lower.bottom - box.top) + 8,
      };
    };
    return {
      english: [...this.english.children].map((slot) => placeOf(slot.firstElementChild as Element, slot)),
      // The places rather than the words, which may be on their way.
      french: [...this.french.children].map((slot) => placeOf(slot, slot)),
      scale: Number.parseFloat(getComputedStyle(this.french).fontSize) / sizes.usual,
      isNarrow: this.#isNarrow,
      outlines: new Map(),
    };
  }
}
