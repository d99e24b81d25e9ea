/** Models in a chain. */

import type { LoadedModel } from '../checkpoint/loaded.js';
import type { ChainedText, ChainOptions } from '../texts/through.js';
import { border, cross } from '../values/border.js';
import { fail } from '../values/errors.js';

/** Translates through other languages. */
export class Chain {
  readonly #models: readonly LoadedModel[];

  /** @internal */
  constructor(models: readonly LoadedModel[]) {
    this.#models = models;
  }

  /**
   * Translates a text or several, of any length: sentence by sentence, each with the alignment of its tokens through all languages.
   * The first model's length decides where long sentences are broken.
   *
   * @throws TransformerError like `Model.translate`
   */
  translate(text: string, options?: ChainOptions): Promise<ChainedText>;
  translate(texts: readonly string[], options?: ChainOptions): Promise<ChainedText[]>;
  translate(input: string | readonly string[], options?: ChainOptions): Promise<ChainedText | ChainedText[]>;
  async translate(
    input: string | readonly string[],
    options: ChainOptions = {},
  ): Promise<ChainedText | ChainedText[]> {
    const models = this.#models.map(({ loaded }) => loaded);
    const isList = Array.isArray(input);
    const texts: readonly string[] = isList ? input : [input];
    const { translateTextsThrough } = await import('../texts/through.js');
    const results = await translateTextsThrough(models, texts, options);
    return isList ? results : (results[0] ?? fail('internal', 'a result is missing'));
  }
}

/**
 * Chains models, each of which reads the language that the one before it writes: `chain([deEn, enFr])` translates from German
 * to French. The models stay their owner's.
 *
 * @throws TransformerError `invalid_argument` for anything but models.
 */
export function chain(models: readonly LoadedModel[]): Chain {
  return cross('models', [models], linked);
}

function linked(models: readonly LoadedModel[]): Chain {
  const isModel = (model: LoadedModel) => typeof model === 'object' && model !== null && 'loaded' in model;
  if (!Array.isArray(models) || models.length === 0 || !models.every(isModel))
    fail('invalid_argument', 'chain takes an array of models that loadModel made, at least one');
  return new Chain([...models]);
}

border(Chain, { translate: 'text options' });
