/** Texts that end a generation where they occur. */

import type { Decoder } from './copying.js';
import { sharedLength } from './new_text.js';

export class StopTexts {
  readonly #stops: readonly string[];
  readonly #tokenizer: Decoder | null;
  readonly #prompt: string;
  /** The number of ids that are known to have no stop text. */
  #searched: number;

  /** @param promptIds the decoder's prompt, which is not searched */
  constructor(tokenizer: Decoder | null, promptIds: ArrayLike<number>, stops: readonly string[]) {
    this.#stops = stops;
    this.#tokenizer = tokenizer;
    this.#prompt = tokenizer?.decode(promptIds) ?? '';
    this.#searched = promptIds.length;
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

  /**
   * The number of ids up to the one that completes a stop text; `null` if none does. Each id is looked at once, in the
   * order of their generation, so that the place does not depend on how many come at a time.
   *
   * @param ids the prompt's and those that follow, beginning with the ids of earlier calls
   */
  endIn(ids: readonly number[]): number | null {
    if (this.#stops.length === 0) return null;
    for (let length = this.#searched + 1; length <= ids.length; length++) {
      if (this.#placeIn(this.#tokenizer?.decode(ids.slice(0, length)) ?? '') !== null) return length;
      this.#searched = length;
    }
    return null;
  }

  #upToStop(text: string): string {
    return text.slice(0, this.#placeIn(text) ?? text.length);
  }

  #placeIn(text: string): number | null {
    const from = sharedLength(this.#prompt, text);
    const places = this.#stops.map((stop) => text.indexOf(stop, from)).filter((place) => place >= 0);
    return places.length > 0 ? Math.min(...places) : null;
  }

  get #longest(): number {
    return Math.max(0, ...this.#stops.map((stop) => stop.length));
  }
}
