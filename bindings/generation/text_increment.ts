/** Cuts a growing text into pieces that can be shown at once and that concatenate to the whole. */

import { newText } from './new_text.js';

export class TextIncrement {
  #shown: string;

  /** @param shown text that has already been shown */
  constructor(shown: string) {
    this.#shown = shown;
  }

  /**
   * @param settled the part of the text that will not change any more
   * @returns the part of it that is new
   */
  push(settled: string): string {
    // The end of a prompt may not be settled yet.
    if (this.#shown.startsWith(settled)) return '';
    const piece = newText(this.#shown, settled);
    this.#shown = settled;
    return piece;
  }
}
