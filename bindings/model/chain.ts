/** Models in a chain. */

import type { LoadedModel } from '../checkpoint/loaded.js';
import { join } from '../texts/joining.js';
import { readTranslateOptions, type TranslateOptions } from '../texts/options.js';
import type { TranslatedSentence, Translation } from '../texts/results.js';
import type { SentenceTranslator } from '../texts/sentence_translator.js';
import { streamTranslation, translate } from '../texts/translate.js';
import { border, cross } from '../values/border.js';
import { fail } from '../values/errors.js';

/** A text that several models have translated, one after the other. */
export interface ChainedText extends Translation {
  /** The whole text as each model wrote it; the last is `text`. None with `html`. */
  steps: readonly string[];
}

/** Translates through other languages: wherever a model's `translate` is taken, a chain is, too. */
export class Chain {
  readonly #models: readonly LoadedModel[];
  #translator: SentenceTranslator | undefined;

  /** @internal */
  constructor(models: readonly LoadedModel[]) {
    this.#models = models;
  }

  /**
   * Translates a text or several, as `Model.translate` does: of any length, HTML, with the words aligned. The
   * alignments of the models are multiplied. The first model's length decides where long sentences are broken.
   *
   * @throws TransformerError like `Model.translate`
   */
  translate(text: string, options?: TranslateOptions): Promise<ChainedText>;
  translate(texts: readonly string[], options?: TranslateOptions): Promise<ChainedText[]>;
  translate(
    input: string | readonly string[],
    options?: TranslateOptions,
  ): Promise<ChainedText | ChainedText[]>;
  async translate(
    input: string | readonly string[],
    options: TranslateOptions = {},
  ): Promise<ChainedText | ChainedText[]> {
    const translator = await this.#alive();
    const isList = Array.isArray(input);
    const texts: readonly string[] = isList ? input : [input];
    const read = readTranslateOptions(options);
    const results = read.html
      ? await (await import('../markup/translate_markup.js')).translateMarkup(translator, texts, read)
      : await translate(translator, texts, read);
    const chained = results.map(
      (result, i): ChainedText => ({
        ...result,
        steps: read.html ? [] : this.#steps(texts[i] ?? '', result),
      }),
    );
    return isList ? chained : (chained[0] ?? fail('internal', 'a result is missing'));
  }

  /** Like `Model.streamTranslation`. */
  async *streamTranslation(
    text: string,
    options: TranslateOptions = {},
  ): AsyncGenerator<TranslatedSentence, Translation, void> {
    return yield* streamTranslation(await this.#alive(), text, readTranslateOptions(options));
  }

  /** @throws TransformerError `disposed` */
  async #alive(): Promise<SentenceTranslator> {
    const models = this.#models.map(({ loaded }) => loaded);
    this.#translator ??= (await import('../texts/chain.js')).chainOf(models);
    return this.#translator;
  }

  #steps(source: string, { sentences }: Translation): string[] {
    return this.#models.map((_, step) =>
      join(
        source,
        sentences.map((one) => ({ span: one.source, text: one.steps?.[step] ?? one.text })),
      ),
    );
  }
}

/**
 * Chains models, each of which reads the language that the one before it writes: `chain([deEn, enFr])` translates from
 * German to French. The models stay their owner's.
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

border(Chain, { translate: 'text options', streamTranslation: 'text options' });
