/** Cuts a text that grows token by token into pieces that can be shown at once and that joined are the whole. */

export class TextIncrement {
  #shown: string;
  readonly #holdsLastWord: boolean;

  /**
   * @param shown what the reader has already
   * @param holdsLastWord for a tokenizer that joins what it had kept apart: "do n" and "'t" become "don't"
   */
  constructor(shown: string, holdsLastWord: boolean) {
    this.#shown = shown;
    this.#holdsLastWord = holdsLastWord;
  }

  /**
   * @param text all of it as far as it is known
   * @param isWhole whether nothing comes after it
   * @returns what is new and will not change
   */
  push(text: string, isWhole: boolean): string {
    // The beginning of a character of several bytes decodes to replacement characters, which the rest then replaces.
    const unsettled = this.#holdsLastWord ? /(\s+\S*|\uFFFD+)$/ : /\uFFFD+$/;
    const settled = isWhole ? text : text.replace(unsettled, '');
    if (!settled.startsWith(this.#shown)) return '';
    const piece = settled.slice(this.#shown.length);
    this.#shown = settled;
    return piece;
  }
}
