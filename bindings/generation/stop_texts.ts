/** Texts that end a generation where they occur. */

import type { Decoder } from './copying.js';

export class StopTexts {
  readonly #stops: readonly string[];
  readonly #tokenizer: Decoder | null;
  readonly #prompt: string;

  /** @param promptIds the decoder's prompt, which is not searched */
  constructor(tokenizer: Decoder | null, promptIds: ArrayLike<number>, stops: readonly string[]) {
    this.#stops = stops;
    this.#tokenizer = tokenizer;
    this.#prompt = tokenizer?.decode(promptIds) ?? '';
  }

  /** The text of the ids up to the first stop text. */
  textOf(ids: ArrayLike<number>): string {
    return this.#upToStop(this.#tokenizer?.decode(ids) ?? '');
  }

  /** Like {@link textOf}, without an end that may still change or turn out to be the beginning of a stop text. */
  settledTextOf(ids: ArrayLike<number>): string {
    const text = this.#upToStop(this.#tokenizer?.decodeSettled(ids) ?? '');
    for (let begin = Math.max(0, text.length - this.#longest + 1); begin < text.length; begin++) {
      const end = text.slice(begin);
      if (this.#stops.some((stop) => stop.startsWith(end))) return text.slice(0, begin);
    }
    return text;
  }

  isIn(ids: ArrayLike<number>): boolean {
    if (this.#stops.length === 0) return false;
    return this.#placeIn(this.#tokenizer?.decode(ids) ?? '') !== null;
  }

  /** The ids up to the one that completes a stop text. */
  cut(ids: readonly number[]): number[] {
    if (!this.isIn(ids)) return [...ids];
    let length = 1;
    while (!this.isIn(ids.slice(0, length))) length++;
    return ids.slice(0, length);
  }

  #upToStop(text: string): string {
    return text.slice(0, this.#placeIn(text) ?? text.length);
  }

  #placeIn(text: string): number | null {
    const from = text.startsWith(this.#prompt) ? this.#prompt.length : 0;
    const places = this.#stops.map((stop) => text.indexOf(stop, from)).filter((place) => place >= 0);
    return places.length > 0 ? Math.min(...places) : null;
  }

  get #longest(): number {
    return Math.max(0, ...this.#stops.map((stop) => stop.length));
  }
}
