/** Who translates sentences: a model, or several of them one after the other. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { EncodedText } from '../generation/inputs.js';
import type { ReadTranslateOptions } from './options.js';
import type { TranslatedSentence } from './results.js';

/** A translation, and the place of its source among the inputs. */
export interface PlacedSentence {
  readonly place: number;
  readonly sentence: TranslatedSentence;
}

export type EachOptions = Pick<ReadTranslateOptions, 'generation' | 'alignment'>;

export interface SentenceTranslator {
  /** The model that reads the sources: its lengths, its prefixes and its tokens count. */
  readonly model: Loaded;
  /** The model that writes the translations, if it is another one. */
  readonly last?: Loaded | undefined;
  /**
   * Yields the translations of inputs that the model can read at once, in any order. Ranges are those in the inputs.
   */
  each(inputs: readonly EncodedText[], options: EachOptions): AsyncGenerator<PlacedSentence, void, void>;
}
