/** Cuts a growing text into pieces that can be shown at once and that concatenate to the whole. */

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
    if (!settled.startsWith(this.#shown)) return '';
    const piece = settled.slice(this.#shown.length);
    this.#shown = settled;
    return piece;
  }
}
