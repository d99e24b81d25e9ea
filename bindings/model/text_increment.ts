/** Cuts a text that grows token by token into pieces that can be shown at once and that joined are the whole. */

export class TextIncrement {
  #shown: string;

  /** @param shown what the reader has already */
  constructor(shown: string) {
    this.#shown = shown;
  }

  /**
   * @param settled the text as far as nothing that follows can change it
   * @returns what is new of it
   */
  push(settled: string): string {
    if (!settled.startsWith(this.#shown)) return '';
    const piece = settled.slice(this.#shown.length);
    this.#shown = settled;
    return piece;
  }
}
