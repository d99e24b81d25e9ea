/** What the model could have written in a place: its five most probable words. Choosing another writes the rest anew. */

import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import type { Candidate, Reading } from '../../reading/reading.js';
import { pronounOf } from '../../reading/swaps.js';
import { percent, tokenClass } from '../../reading/tokens.js';
import { words } from '../../words/words.js';

export class Candidates {
  readonly element = make('div', { class: 'candidates' });
  readonly #onChoice: (candidate: Candidate, place: number, reading: Reading) => void;

  constructor(onChoice: (candidate: Candidate, place: number, reading: Reading) => void) {
    this.#onChoice = onChoice;
  }

  /** @param place the index of the written token */
  show(reading: Reading, place: number): void {
    const token = reading.written[place];
    this.element.hidden = !token;
    if (!token) return;
    const rows = token.candidates.map((candidate) => {
      const isWritten = candidate.id === token.id;
      const bar = make('span', { class: `share ${pronounOf(candidate.label) ?? ''}`, 'aria-hidden': 'true' });
      bar.style.setProperty('--share', `${candidate.probability}`);
      const button = make(
        'button',
        { type: 'button', 'aria-pressed': `${isWritten}` },
        make('span', { class: tokenClass(candidate), lang: 'fr' }, candidate.label),
        bar,
        make('span', { class: 'number' }, percent(candidate.probability)),
      );
      button.addEventListener('click', () => this.#onChoice(candidate, place, reading));
      return make('li', {}, button);
    });
    const label = token.isSpecial ? make('i', {}, token.label) : make('b', { lang: 'fr' }, token.label);
    this.element.replaceChildren(
      make('p', { class: 'title' }, ...filled(words.beams.couldHave, { word: label })),
      make('ol', {}, ...rows),
    );
  }
}
