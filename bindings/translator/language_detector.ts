/** `LanguageDetector`, as the web platform shapes it. */

import { confidencesOf, type LanguageDetectionResult, sortedResults } from './confidences.js';
import { type Availability, type CreateOptions, create } from './creation.js';
import { Destroyable, own, textOf } from './destroyable.js';
import { completedScores } from './short_texts.js';
import { canonicalTag } from './tags.js';

export interface LanguageDetectorOptions {
  /** The languages of the texts, as far as they are known. */
  expectedInputLanguages?: readonly string[];
}

export interface LanguageDetectorCreateOptions extends LanguageDetectorOptions, CreateOptions {}

/** Says which language a text is in. It knows 61. */
export class LanguageDetector extends Destroyable {
  readonly #expected: readonly string[] | null;

  /** @internal */
  constructor(key?: unknown, expected: readonly string[] | null = null) {
    super(key);
    this.#expected = expected;
  }

  /** `unavailable` if one of the expected languages is not known; there is nothing to ask the user for. */
  static async availability(options: LanguageDetectorOptions = {}): Promise<Availability> {
    const expected = expectedOf(options) ?? [];
    const known = new Set([...(await library()).knownLanguages(), 'id'].map((code) => canonicalTag(code)));
    return expected.every((tag) => known.has(new Intl.Locale(tag).language)) ? 'available' : 'unavailable';
  }

  /**
   * @throws RangeError for a bad tag; DOMException `NotSupportedError` for an expected language that is not known; the
   *   signal's reason.
   */
  static async create(options: LanguageDetectorCreateOptions = {}): Promise<LanguageDetector> {
    const expected = expectedOf(options);
    const detector = await create(options, {
      what: 'the detection of these languages',
      needsActivation: false,
      availability: () => LanguageDetector.availability(options),
      make: async () => new LanguageDetector(own, expected),
      drop: (made) => made.destroy(),
    });
    detector.follow(options.signal);
    return detector;
  }

  /** As it was given; `null` for none. */
  get expectedInputLanguages(): readonly string[] | null {
    return this.#expected;
  }

  /** What is known of a text's language; of expected ones alone, if there are such. */
  async #scoring() {
    const { languageScores } = await library();
    const expected = this.#expected && new Set(this.#expected.map((tag) => new Intl.Locale(tag).language));
    // Norwegian is one language to the scores.
    if (expected?.has('nb') || expected?.has('nn')) expected.add('no');
    return (text: string) => completedScores(text, languageScores(text), expected);
  }

  /**
   * Languages by falling confidence; the last is `und`, with the confidence that it is none of them. A text in several
   * languages shares the confidence.
   *
   * @throws the signal's reason; DOMException `AbortError` once destroyed.
   */
  async detect(input: string, options: { signal?: AbortSignal } = {}): Promise<LanguageDetectionResult[]> {
    const text = textOf(input);
    return this.during(options.signal, async () => sortedResults(confidencesOf(text, await this.#scoring())));
  }
}

const library = () => import('./eld_scores.js');

function expectedOf({ expectedInputLanguages: given }: LanguageDetectorOptions): readonly string[] | null {
  const tags = [...(given ?? [])].map(canonicalTag);
  return tags.length > 0 ? Object.freeze(tags) : null;
}
