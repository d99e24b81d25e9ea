/** The words that can stand in the place of another: each wears the pronoun that it leads to. */

import type { Model } from 'transformer-wasm';
import { make } from '../drawing/dom.js';
import type { Reading, SourceToken } from '../reading/reading.js';
import { builtInPronouns } from '../reading/readings.js';
import { isPlain, type Request } from '../reading/request.js';
import { groupOf, type Swap, swapped, swapsOf } from '../reading/swaps.js';
import { words } from '../words/words.js';

export class Chips {
  readonly element = make('div', { class: 'chips', role: 'group', 'aria-label': words.stage.otherWords });
  readonly #onChoice: (sentence: string) => void;
  /** The swaps with their pronouns, and what they belong to: the sentence with a gap, the heads, the forced words. */
  #known: { readonly key: string; readonly swaps: readonly Swap[] } = { key: '', swaps: [] };

  /** @param onChoice called with the sentence that has the chosen word in it */
  constructor(onChoice: (sentence: string) => void) {
    this.#onChoice = onChoice;
  }

  /** Offers the words at once, with the pronouns that are known already. */
  show(reading: Reading | null, token: SourceToken | undefined, request: Request): void {
    if (!reading || !token) {
      this.element.replaceChildren();
      return;
    }
    const isKnown = this.#known.key === keyOf(reading, token, request);
    this.#draw(isKnown ? this.#known.swaps : unread(reading, token, request), reading.text);
  }

  /** Translates the sentence with each of the words, and adds their pronouns. */
  async colour(model: Model, reading: Reading, token: SourceToken, request: Request): Promise<void> {
    const key = keyOf(reading, token, request);
    if (key !== this.#known.key) {
      const swaps = await swapsOf(model, reading.text, token, request);
      request.signal?.throwIfAborted();
      this.#known = { key, swaps };
    }
    this.#draw(this.#known.swaps, reading.text);
  }

  #draw(swaps: readonly Swap[], current: string): void {
    const focused = [...this.element.children].indexOf(document.activeElement as Element);
    this.element.replaceChildren(
      ...swaps.map(({ word, text, pronoun }) => {
        const chip = make(
          'button',
          { type: 'button', class: `chip ${pronoun ?? ''}`, 'aria-pressed': `${text === current}` },
          make('span', { lang: 'en' }, word),
          ...(pronoun ? [' ', make('small', { lang: 'fr' }, pronoun)] : []),
        );
        chip.addEventListener('click', () => this.#onChoice(text));
        return chip;
      }),
    );
    const chip = this.element.children[focused];
    if (chip instanceof HTMLElement) chip.focus();
  }
}

const keyOf = (reading: Reading, token: SourceToken, { off, prefix, beams }: Request) =>
  JSON.stringify([swapped(reading.text, token, '…'), off, prefix, beams]);

function unread(reading: Reading, token: SourceToken, request: Request): Swap[] {
  return groupOf(token).map((word) => {
    const text = swapped(reading.text, token, word);
    return { word, text, pronoun: isPlain(request) ? builtInPronouns[text] : undefined };
  });
}
