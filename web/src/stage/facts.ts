/** The bar at the top: how far the model is, what the last sentence took, and, further down, which word is shown. */

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
  readonly #size = make('span');
  readonly #took = make('span', { id: 'reading-note' });
  readonly #progress = make('progress', { hidden: true, max: 1, 'aria-label': words.stage.loadingModel });
  readonly #now = make('p', { class: 'now', lang: 'fr', hidden: true });

  constructor() {
    find('.bar .facts').append(this.#size, this.#took, make('span', {}, words.stage.staysHere));
    find('.bar').append(this.#progress);
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

  /** @param bytes of the model's files @param threads with which the engine computes */
  showReady(bytes: number, threads: number): void {
    this.#progress.hidden = true;
    this.#size.textContent = words.page.megabytes(megabytes(bytes));
    this.#size.title = words.stage.threads(threads);
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
