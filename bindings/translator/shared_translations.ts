/** Translations that callers of a translator share: what is asked for while one pass runs is joined into the next. */

import { chain } from '../model/chain.js';
import type { Model } from '../model/model.js';
import type { TranslateOptions } from '../texts/options.js';

/** Whether a text is HTML: it has a tag that closes an element, or one without content. */
export const isMarkup = (text: string): boolean =>
  /<\/[a-z][a-z\d-]{0,30}\s*>|<(?:br|hr|img|input|wbr)\b[^<>]{0,2000}>/i.test(text);

interface Wanted {
  readonly text: string;
  readonly signal: AbortSignal;
  resolve(text: string): void;
  reject(error: unknown): void;
}

export class SharedTranslations {
  readonly #translator: Pick<Model, 'streamTranslation'> & {
    translate(texts: readonly string[], options: TranslateOptions): Promise<{ text: string }[]>;
  };
  readonly #options: TranslateOptions;
  #waiting: Wanted[] = [];
  #isRunning = false;

  /** @param options of every translation */
  constructor(models: readonly Model[], options: TranslateOptions) {
    const [only] = models;
    this.#translator = models.length === 1 && only ? only : chain(models);
    this.#options = options;
  }

  /** Whoever aborts leaves the others their pass; it ends when all have aborted. */
  translate(text: string, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, signal, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  stream(text: string, signal: AbortSignal) {
    return this.#translator.streamTranslation(text, { ...this.#options, signal });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Calls of one turn come together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const all = this.#waiting.filter(({ signal }) => !signal.aborted);
      this.#waiting = [];
      for (const html of [false, true]) {
        const some = all.filter(({ text }) => isMarkup(text) === html);
        if (some.length > 0) await this.#pass(some, html);
      }
    }
    this.#isRunning = false;
  }

  async #pass(some: readonly Wanted[], html: boolean): Promise<void> {
    const stop = new AbortController();
    const note = () => some.every(({ signal }) => signal.aborted) && stop.abort();
    for (const { signal } of some) signal.addEventListener('abort', note);
    try {
      const texts = some.map(({ text }) => text);
      const options = { ...this.#options, html, signal: stop.signal };
      const results = await this.#translator.translate(texts, options);
      for (const [i, one] of some.entries()) one.resolve(results[i]?.text ?? one.text);
    } catch (error) {
      // A text that cannot be translated costs no other one.
      if (some.length === 1 || stop.signal.aborted) for (const one of some) one.reject(error);
      else for (const one of some) await this.#pass([one], html);
    } finally {
      for (const { signal } of some) signal.removeEventListener('abort', note);
    }
  }
}
