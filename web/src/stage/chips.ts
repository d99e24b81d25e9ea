/** The words that can stand in the place of another: each wears the colour of the pronoun that it leads to. */

import type { Model } from 'transformer-wasm';
import { make } from '../drawing/dom.js';
import type { Reading, SourceToken } from '../reading/reading.js';
import { builtInPronouns } from '../reading/readings.js';
import { groupOf, type Swap, swapped, swapsOf } from '../reading/swaps.js';

export class Chips {
  readonly element = make('div', { class: 'chips', role: 'group', 'aria-label': 'Other words' });
  readonly #onChoice: (sentence: string) => void;
  /** The swaps with their pronouns, and the sentence with a gap that they belong to. */
  #known: { readonly gap: string; readonly swaps: readonly Swap[] } = { gap: '', swaps: [] };

  /** @param onChoice called with the sentence that has the chosen word in it */
  constructor(onChoice: (sentence: string) => void) {
    this.#onChoice = onChoice;
  }

  /** Offers the words at once, in the colours that are known already. */
  show(reading: Reading | null, token: SourceToken | undefined): void {
    // Without words it stays, empty: what is below does not move.
    if (!reading || !token) {
      this.element.replaceChildren();
      return;
    }
    const isKnown = this.#known.gap === swapped(reading.text, token, '…');
    this.#draw(isKnown ? this.#known.swaps : uncoloured(reading, token), reading.text);
  }

  /** Translates the sentence with each of the words, and adds their colours. */
  async colour(model: Model, reading: Reading, token: SourceToken, signal: AbortSignal): Promise<void> {
    const gap = swapped(reading.text, token, '…');
    if (gap !== this.#known.gap) {
      const swaps = await swapsOf(model, reading.text, token, signal);
      signal.throwIfAborted();
      this.#known = { gap, swaps };
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
          word,
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

function uncoloured(reading: Reading, token: SourceToken): Swap[] {
  return groupOf(token).map((word) => {
    const text = swapped(reading.text, token, word);
    return { word, text, pronoun: builtInPronouns[text] };
  });
}
