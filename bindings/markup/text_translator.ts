/** The translator of the texts of a page or a document. */

import type { TranslateOptions } from '../texts/options.js';
import { fail } from '../values/errors.js';
import type { TranslateTexts } from './translate_runs.js';

/** A loaded model, or anything that answers as one does, from another thread or process. */
export interface TextTranslator {
  translate(texts: readonly string[], options: TranslateOptions): ReturnType<TranslateTexts>;
}

/** @throws TransformerError `invalid_argument`, with the name of the function that was called */
export function checkTranslator(model: unknown, name: string): void {
  if (typeof (model as Partial<TextTranslator> | null | undefined)?.translate !== 'function')
    fail('invalid_argument', `${name} takes a model that loadModel made`);
}
