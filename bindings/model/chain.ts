/** Models in a chain. */

import type { LoadedModel } from '../checkpoint/loaded.js';
import type { ChainedTranslation } from '../generation/chain.js';
import type { GenerationOptions } from '../generation/options.js';
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
   * Translates one sentence or several, with the alignment of their tokens through all languages.
   *
   * @throws TransformerError like `Model.translate`
   */
  translate(text: string, options?: GenerationOptions): Promise<ChainedTranslation>;
  translate(texts: readonly string[], options?: GenerationOptions): Promise<ChainedTranslation[]>;
  async translate(
    input: string | readonly string[],
    options: GenerationOptions = {},
  ): Promise<ChainedTranslation | ChainedTranslation[]> {
    const models = this.#models.map(({ loaded }) => loaded);
    const isList = Array.isArray(input);
    const texts: readonly string[] = isList ? input : [input];
    const { translateThrough } = await import('../generation/chain.js');
    const results = await translateThrough(models, texts, options);
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
