/** Several sentences with their translations: the model reads one at a time, and a click chooses which one the page shows. */

import type { Model } from 'transformer-wasm';
import { make } from '../drawing/dom.js';
import { generationOf } from '../reading/request.js';
import type { SelectionStore } from '../selection/selection.js';

export class Sentences {
  readonly element = make('ol', { class: 'sentences', hidden: true });

  constructor(private readonly selection: SelectionStore) {}

  hide(): void {
    this.element.hidden = true;
  }

  /** Translates the sentences of the text where there are several. */
  async show(model: Model, signal: AbortSignal): Promise<void> {
    const { sentencesOf } = await import('../reading/reader.js');
    const { text, sentence, off } = this.selection.current;
    const sentences = sentencesOf(text);
    const translations =
      sentences.length > 1 ? await model.translate(sentences, generationOf({ off, signal })) : [];
    if (signal.aborted) return;
    this.element.hidden = translations.length === 0;
    this.element.replaceChildren(
      ...translations.map(({ text: french }, i) => {
        const button = make(
          'button',
          { type: 'button', 'aria-pressed': `${i === Math.min(sentence, sentences.length - 1)}` },
          make('span', { lang: 'en' }, sentences[i] as string),
          make('span', { lang: 'fr' }, french.replaceAll('<unk>', '…')),
        );
        button.addEventListener('click', () => this.selection.set({ sentence: i, word: null, prefix: [] }));
        return make('li', {}, button);
      }),
    );
  }
}
