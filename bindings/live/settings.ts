/** What a translation of an element is given. */

import type { TextTranslator } from '../markup/text_translator.js';
import type { ReadableAttribute } from '../texts/options.js';

export interface ElementSettings {
  readonly attributes: readonly ReadableAttribute[];
  readonly observe: boolean;
  /** Ends it. */
  readonly stop: AbortController;
  /** The language of the page. */
  readonly language: string;
  /** Who translates: two translations by the same are one. */
  readonly by: TextTranslator;
  readonly onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
}
