/** The one way in which the page's sentence is set. */

import type { Selection, SelectionStore } from '../selection/selection.js';

/** What else changes with it, and whether Back leads to the former one. */
export interface SentenceChange extends Partial<Pick<Selection, 'sentence' | 'word' | 'prefix'>> {
  readonly entry?: 'push' | 'replace' | 'auto';
}

/**
 * @param text one sentence or several
 * @param change default: its first sentence, with the words that the model chooses, and the word that the page chooses
 */
export function setSentence(selection: SelectionStore, text: string, change: SentenceChange = {}): void {
  const { entry = 'auto', ...fields } = change;
  selection.set({ text: text.trim(), sentence: 0, word: null, prefix: [], ...fields }, entry);
}
