/** The bar at the top: how long the story is, what this tab has loaded, and, further down, which word is shown. */

import { find, make } from '../drawing/dom.js';
import type { Reading } from '../reading/reading.js';
import type { Outcome } from '../reading/readings.js';
import type { Loading } from '../reading/session.js';
import { decimals } from '../words/numbers.js';
import { words } from '../words/words.js';
import { piecesOf } from './spacing.js';

const megabytes = (bytes: number) => decimals((bytes / 1e6).toFixed(1));

/** `0.27 s`, `9 ms` */
const timeText = (milliseconds: number) =>
  milliseconds < 95
    ? `${Math.max(1, Math.round(milliseconds))} ms`
    : `${decimals((milliseconds / 1000).toFixed(2))} s`;

export class Facts {
  readonly #story = make('span', { class: 'story-facts' });
  readonly #size = make('span', { class: 'loaded-size' });
  /** What the last sentence took: for whoever points at the size, and for screen readers. */
  readonly #took = make('span', { id: 'reading-note', class: 'visually-hidden' });
  readonly #progress = make('progress', { hidden: true, max: 1, 'aria-label': words.stage.loadingModel });
  /** Opens what changes the sentence, where one reads. */
  readonly #now = make('button', {
    type: 'button',
    class: 'now',
    lang: 'fr',
    hidden: true,
    title: words.stage.change,
  });
  onChange: () => void = () => {};

  constructor() {
    find('.bar .facts').append(this.#story, this.#size, this.#took, make('span', {}, words.stage.staysHere));
    find('.bar').append(this.#progress);
    this.#now.addEventListener('click', () => this.onChange());
    find('.bar-inside').append(this.#now);
  }

  showLoading({ loaded, total }: Loading): void {
    this.#progress.hidden = false;
    if (total) this.#progress.value = loaded / total;
    else this.#progress.removeAttribute('value');
    this.#size.textContent = total
      ? words.stage.loaded(megabytes(loaded), megabytes(total))
      : words.page.megabytes(megabytes(loaded));
  }

  /** Says how long the story is, with the way to have it read. @param minutes that a reader takes */
  showStory(chapters: number, minutes: number, play: HTMLElement): void {
    this.#story.replaceChildren(words.stage.story(chapters, minutes), ' ', play);
  }

  /** What this tab has loaded, of what it will have loaded at the end of the story. @param threads with which the engine computes */
  showVisit({ loaded, total }: { readonly loaded: number; readonly total: number }, threads: number): void {
    this.#progress.hidden = true;
    this.#setOwn(false);
    this.#size.title = words.stage.threads(threads);
    this.#size.textContent = words.stage.ofVisit(megabytes(loaded), megabytes(total));
  }

  /** A model of the visitor's own. @param bytes of its files @param back to our model */
  showOwn(bytes: number, back: HTMLElement): void {
    this.#progress.hidden = true;
    this.#setOwn(true);
    this.#size.replaceChildren(words.page.megabytes(megabytes(bytes)), ' · ', back);
  }

  /** A phone shows the facts of one's own model alone, with the way back. */
  #setOwn(isOwn: boolean): void {
    find('.bar .facts').classList.toggle('own', isOwn);
  }

  fail(): void {
    this.#progress.hidden = true;
    this.#size.textContent = '';
  }

  /** What was read, and how fast; a built-in reading takes no time. */
  showOutcome(reading: Reading | null, outcome: Outcome): void {
    if (outcome.kind !== 'read') this.#took.textContent = '';
    else if (outcome.milliseconds !== null)
      this.#took.textContent = words.stage.took(
        reading?.written.length || reading?.source.length || 0,
        timeText(outcome.milliseconds),
      );
    if (!reading) this.#now.replaceChildren();
  }

  /** The sentence and its chosen word, for whoever has scrolled past them. */
  showWord({ written, translation }: Reading, chosen: number): void {
    const pieces = piecesOf(
      translation,
      written.map(({ label }) => label),
    );
    const words = written.flatMap(({ isSpecial }, i) => {
      if (isSpecial) return [];
      const { text = '', isGlued = false } = pieces[i] ?? {};
      return [isGlued || i === 0 ? '' : ' ', i === chosen ? make('b', { lang: 'fr' }, text) : text];
    });
    this.#now.replaceChildren(...words);
    this.#centre();
  }

  /** A long sentence is cut at its ends, never at the chosen word. */
  #centre(): void {
    const word = this.#now.querySelector('b');
    if (!word) return;
    const [box, place] = [this.#now.getBoundingClientRect(), word.getBoundingClientRect()];
    this.#now.scrollLeft += place.left + place.width / 2 - (box.left + box.width / 2);
  }

  /** Whether the stage is out of sight. */
  set isAway(isAway: boolean) {
    this.#now.hidden = !isAway;
    this.#centre();
  }
}
