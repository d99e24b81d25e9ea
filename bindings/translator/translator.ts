/** `Translator`, as the web platform shapes it. */

import { type Glossary, type KeepOption, toGlossary, toKeep } from '../texts/keep_options.js';
import type { TranslateOptions } from '../texts/options.js';
import { onAbort } from '../values/aborts.js';
import { messageOf } from '../values/errors.js';
import { type Availability, type CreateOptions, create } from './creation.js';
import { Destroyable, own, textOf } from './destroyable.js';
import { exception, loadingFailed } from './exceptions.js';
import { findRoute, type Route } from './routes.js';
import { settingsNow } from './settings.js';
import { availabilityOf, type Borrowed, borrow } from './shared_models.js';
import { isMarkup, SharedTranslations } from './shared_translations.js';
import { requiredTag } from './tags.js';

/** A pair of languages, as BCP 47 tags. */
export interface TranslatorLanguages {
  sourceLanguage: string;
  targetLanguage: string;
}

export interface TranslatorCreateOptions extends TranslatorLanguages, CreateOptions {
  /**
   * What comes back as it is, as for `Model.translate`: texts, regular expressions or a function. Not of the platform.
   */
  keep?: KeepOption;
  /** Translations of terms, or `true` to keep one. Not of the platform. */
  glossary?: Glossary;
}

/** Translates texts of any length from one language to another. */
export class Translator extends Destroyable {
  readonly #route: Route;
  /** `null` where source and target are the same language. */
  readonly #passes: SharedTranslations | null;

  /** @internal */
  constructor(key?: unknown, route?: Route, borrowed: readonly Borrowed[] = [], terms: Terms = {}) {
    super(key);
    this.#route = route as Route;
    const models = borrowed.map(({ model }) => model);
    this.#passes =
      models.length > 0
        ? new SharedTranslations(models, { ...termsOfOne(terms), ...languagesOf(this.#route) })
        : null;
    this.atEnd(() => {
      for (const one of borrowed) one.release();
    });
  }

  /** Whether a pair can be translated, and whether something has to be downloaded for it. */
  static async availability(languages: TranslatorLanguages): Promise<Availability> {
    const route = await routeOf(languages);
    return route === null ? 'unavailable' : routeAvailability(route);
  }

  /**
   * @throws RangeError for a bad tag, TypeError for a missing one; DOMException `NotSupportedError` for a pair without
   *   a model, `NotAllowedError` for a download without a click, `NetworkError`, `OperationError`; the signal's reason.
   */
  static async create(options: TranslatorCreateOptions): Promise<Translator> {
    const [source, target] = tagsOf(options);
    const { load, needsActivation } = settingsNow();
    const terms = termsIn(options);
    let route: Route | null = null;
    const translator = await create(options, {
      what: `translation from ${source} to ${target}`,
      needsActivation,
      async availability() {
        route = await routeOf(options).catch((error) => {
          throw exception('UnknownError', messageOf(error), error);
        });
        return route === null ? 'unavailable' : routeAvailability(route);
      },
      async make(progress, signal) {
        const found = route as Route;
        const shares = found.models.map(() => 0);
        const loading = found.models.map((model, i) =>
          borrow(model, load, {
            signal,
            onProgress(share) {
              shares[i] = share;
              progress(shares.reduce((sum, one) => sum + one, 0) / shares.length);
            },
          }),
        );
        try {
          return new Translator(own, found, await Promise.all(loading), terms);
        } catch (error) {
          for (const one of await Promise.allSettled(loading))
            if (one.status === 'fulfilled') one.value.release();
          throw loadingFailed(error);
        }
      },
      drop: (made) => made.destroy(),
    });
    translator.follow(options.signal);
    return translator;
  }

  get sourceLanguage(): string {
    return this.#route.sourceLanguage;
  }

  get targetLanguage(): string {
    return this.#route.targetLanguage;
  }

  /**
   * A text, or HTML, whose tags follow their words. What is asked for while a pass runs is joined into the next.
   *
   * @throws the signal's reason; DOMException `AbortError` once destroyed, `UnknownError`.
   */
  async translate(input: string, options: { signal?: AbortSignal } = {}): Promise<string> {
    const text = textOf(input);
    return this.during(options.signal, (signal) =>
      this.#passes ? asException(this.#passes.translate(text, signal)) : Promise.resolve(text),
    );
  }

  /** The translation in pieces that belong one after the other, a sentence at a time. */
  translateStreaming(input: string, options: { signal?: AbortSignal } = {}): ReadableStream<string> {
    const text = textOf(input);
    const { signal, release } = this.either(options.signal);
    signal.throwIfAborted();
    const pieces = this.#pieces(text, signal);
    const end = () => {
      release();
      pieces.return().catch(() => undefined);
    };
    return new ReadableStream<string>(
      {
        start: (controller) => {
          onAbort(signal, () => controller.error(signal.reason));
        },
        async pull(controller) {
          const next = await pieces.next().catch((error) => {
            controller.error(signal.aborted ? signal.reason : error);
            return null;
          });
          if (next === null || signal.aborted) return end();
          if (!next.done) return controller.enqueue(next.value);
          controller.close();
          end();
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
  }

  async *#pieces(text: string, signal: AbortSignal): AsyncGenerator<string, void, void> {
    if (!this.#passes) return yield text;
    if (isMarkup(text)) return yield await asException(this.#passes.translate(text, signal));
    const sentences = this.#passes.stream(text, signal);
    let [source, target] = [0, 0];
    for (;;) {
      const { done, value } = await asException(sentences.next());
      if (done) break;
      // Sentences are separated as in the source, by one space, or not at all.
      const between = text.slice(source, value.source[0]);
      const length = value.target[0] - target;
      const gap = length === between.length ? between : ' '.repeat(length);
      yield gap + value.text;
      [source, target] = [value.source[1], value.target[1]];
    }
    if (source < text.length) yield text.slice(source);
  }
}

const tagsOf = (options: unknown): [string, string] => [
  requiredTag(options, 'sourceLanguage'),
  requiredTag(options, 'targetLanguage'),
];

type Terms = Pick<TranslateOptions, 'keep' | 'glossary'>;

/** @throws TransformerError `invalid_argument` */
const termsIn = ({ keep, glossary }: TranslatorCreateOptions): Terms => ({
  ...(keep !== undefined && { keep: toKeep(keep, 'keep') }),
  ...(glossary !== undefined && { glossary: toGlossary(glossary, 'glossary') }),
});

/** Callers share passes, whose places would tell a function nothing: each of its texts is the first. */
function termsOfOne({ keep, ...others }: Terms): Terms {
  if (!keep) return { ...others, ...(keep === false && { keep }) };
  const own = [keep].flat().map((one) => (typeof one === 'function' ? (text: string) => one(text, 0) : one));
  return { ...others, keep: own };
}

const languagesOf = ({ sourceLanguage, targetLanguage }: Route) => ({ sourceLanguage, targetLanguage });

async function routeOf(languages: TranslatorLanguages): Promise<Route | null> {
  const { find, pivots } = settingsNow();
  return findRoute(find, tagsOf(languages), pivots);
}

/** The slowest one counts. */
async function routeAvailability({ models }: Route): Promise<Availability> {
  const all = await Promise.all(models.map(availabilityOf));
  return (['downloadable', 'downloading'] as const).find((one) => all.includes(one)) ?? 'available';
}

const asException = <T>(result: Promise<T>): Promise<T> =>
  result.catch((error) => {
    throw exception('UnknownError', messageOf(error), error);
  });
