/** What can be done with the sentence: a popover at one of its words, with others for its place. */

import type { Model } from 'transformer-wasm';
import { action } from '../drawing/controls.js';
import { make } from '../drawing/dom.js';
import type { Reading } from '../reading/reading.js';
import type { Request } from '../reading/request.js';
import { groupOf, swappable } from '../reading/swaps.js';
import type { SelectionStore } from '../selection/selection.js';
import { words } from '../words/words.js';
import { Chips } from './chips.js';
import type { Loom } from './loom.js';
import { Popover } from './popover.js';
import { setSentence } from './set_sentence.js';

export class Offers {
  readonly element: HTMLElement;
  /** Where further actions stand, in the popover's last line. */
  readonly more = make('div', { class: 'more' });
  readonly #selection: SelectionStore;
  readonly #loom: Loom;
  readonly #chips: Chips;
  readonly #popover: Popover;
  #reading: Reading | null = null;
  /** Where the popover stands, if not at its word. */
  #away: HTMLElement | null = null;

  /** @param onWrite turns the English row into a field, or opens one in the place that it is given */
  constructor(selection: SelectionStore, loom: Loom, onWrite: (place: HTMLElement | null) => void) {
    this.#selection = selection;
    this.#loom = loom;
    // What was forced stays forced, as the words beside the chips say.
    this.#chips = new Chips((sentence) => {
      const { text, prefix, sentence: index } = selection.current;
      const before = this.#reading?.text ?? text;
      setSentence(selection, text.replace(before, sentence), { prefix, sentence: index });
    });
    const write = action(words.stage.writeYourOwn, () => {
      const place = this.#away;
      if (place) this.#comeBack();
      else this.#popover.close();
      onWrite(place);
    });
    this.more.append(write);
    this.#popover = new Popover(this.#chips.element, this.more);
    this.element = this.#popover.element;
    // In a lecture the first screen is the sentence alone; a click on a word opens what can be changed.
    if (new URLSearchParams(location.search).has('present')) this.#popover.close();
    addEventListener('resize', () => this.place());
    void document.fonts.ready.then(() => this.place());
  }

  show(reading: Reading | null, request: Request): void {
    this.#reading = reading;
    this.#chips.show(reading, reading?.source[this.#index], request);
    this.place();
  }

  /** Offers other words in a token's place; a second click on it takes them away. */
  offer(token: number): void {
    const isShown = this.#popover.isOpen && token === this.#index;
    if (isShown) this.#popover.close();
    else {
      this.#popover.open();
      this.#selection.setSetting('stage', 'swap', `${token}`);
      this.place();
    }
  }

  /** Opens the popover away from the words, in the bar; again, or Escape, or a click elsewhere: back to its word. */
  openIn(place: HTMLElement): void {
    if (this.#away) {
      this.#comeBack();
      return;
    }
    this.#away = place;
    this.#popover.moveTo(place);
    this.#popover.open();
    const pressed = this.element.querySelector<HTMLElement>('.chip[aria-pressed="true"]');
    (pressed ?? this.element.querySelector('button'))?.focus();
    document.addEventListener('pointerdown', this.#elsewhere);
    this.element.addEventListener('keydown', this.#escape);
  }

  /** Back at its word, as it was: open. */
  #comeBack(): void {
    document.removeEventListener('pointerdown', this.#elsewhere);
    this.element.removeEventListener('keydown', this.#escape);
    this.#away = null;
    this.#popover.moveTo(null);
    this.#popover.open();
    this.place();
  }

  readonly #elsewhere = ({ target }: Event) => {
    if (!this.#away?.contains(target as Node)) this.#comeBack();
  };

  readonly #escape = ({ key }: KeyboardEvent) => {
    const place = this.#away;
    if (key === 'Escape') {
      this.#comeBack();
      place?.querySelector<HTMLElement>('.now')?.focus();
    }
  };

  /** Adds the pronouns that the words lead to. */
  async colour(model: Model, request: Request): Promise<void> {
    const reading = this.#reading;
    const token = reading?.source[this.#index];
    if (!reading || !token || groupOf(token).length === 0) return;
    await this.#chips.colour(model, reading, token, request);
    this.place();
  }

  /** Puts the popover to its word. */
  place(): void {
    const index = this.#index;
    for (const [i, word] of this.#loom.englishWords.entries()) word.classList.toggle('anchor', i === index);
    this.#popover.place(this.#loom.word(index));
  }

  /** The index of the token in whose place other words are offered. */
  get #index(): number {
    const { source = [] } = this.#reading ?? {};
    const given = Number(this.#selection.setting('stage', 'swap', '-1'));
    const token = source[given];
    if (token && !token.isSpecial) return given;
    const best = swappable(source);
    return best >= 0 ? best : source.findLastIndex(({ isSpecial }) => !isSpecial);
  }
}
