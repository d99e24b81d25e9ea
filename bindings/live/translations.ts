/** Translations of a model's texts: the same text is given to it once. */

import type { AlignedText } from '../markup/placed_words.js';
import { type TranslateTexts, translateTexts } from '../markup/translate_runs.js';

/** How many characters of texts are remembered, which pages show again and again: rows of a list, parts of a clock. */
const mostCharacters = 1 << 19;

export class Translations {
  readonly #translate: TranslateTexts;
  readonly #known = new Map<string, AlignedText>();
  #characters = 0;

  constructor(translate: TranslateTexts) {
    this.#translate = translate;
  }

  /** @throws what the model throws. */
  async of(texts: readonly { readonly text: string; readonly isAligned: boolean }[]): Promise<AlignedText[]> {
    const keyOf = ({ text, isAligned }: { text: string; isAligned: boolean }) =>
      `${isAligned ? 1 : 0}${text}`;
    const found = new Map<string, AlignedText>();
    for (const isAligned of [false, true]) {
      const own = texts.filter((one) => one.isAligned === isAligned);
      const open = [...new Set(own.map(({ text }) => text))].filter((text) => {
        const key = keyOf({ text, isAligned });
        const known = this.#known.get(key);
        if (known) found.set(key, known);
        return !known;
      });
      if (open.length === 0) continue;
      const results = await translateTexts(open, isAligned, this.#translate);
      for (const [i, text] of open.entries()) {
        const key = keyOf({ text, isAligned });
        found.set(key, results[i] as AlignedText);
        this.#remember(key, results[i] as AlignedText);
      }
    }
    return texts.map((one) => found.get(keyOf(one)) as AlignedText);
  }

  #remember(key: string, translation: AlignedText): void {
    this.#known.set(key, translation);
    this.#characters += key.length;
    for (const [oldest] of this.#known) {
      if (this.#characters <= mostCharacters) break;
      this.#known.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
