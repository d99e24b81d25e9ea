/** Words that a model copies: they cross in place of what it is not given. */

import { type EncodedText, encodeText } from '../generation/inputs.js';
import type { ReadOptions } from '../generation/options.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { type Edit, EditedText } from './edited_text.js';
import type { KeptSpan } from './kept_spans.js';
import type { SentenceTranslator } from './sentence_translator.js';

/** Words of a kind, by number. Each is one word for every script's rules, and one that no language has. */
export type Kind = (number: number) => string;

const letter = (number: number) => String.fromCharCode(65 + (number % 26));

/** In the order of preference. */
const kinds: readonly Kind[] = [
  (number) => `X${number}`,
  (number) => `Q${letter(number)}${letter(number >> 2)}X`,
  (number) => `${7300 + number}`,
];

/** A kept span, and the word in its place. */
interface StandIn {
  readonly word: string;
  readonly kept: KeptSpan;
  /** Whether a space was put between it and the letter before or after it. */
  readonly isParted: readonly [before: boolean, after: boolean];
}

/** A text whose kept spans were replaced. */
export class StandInText extends EditedText {
  readonly #standIns: readonly StandIn[];

  /** @param kept with ranges of the text */
  constructor(text: string, kept: readonly KeptSpan[], kind: Kind = kinds[0] as Kind) {
    let number = 0;
    const standIns = kept.map((one): StandIn => {
      let word = kind(++number);
      while (text.includes(word)) word = kind(++number);
      const [begin, end] = one.span;
      const isParted = [text.charAt(begin - 1), text.charAt(end)].map((next) =>
        /[\p{sc=Latn}\p{N}]/u.test(next),
      );
      return { word, kept: one, isParted: isParted as [boolean, boolean] };
    });
    super(
      text,
      standIns.map(({ word, kept, isParted: [before, after] }) => ({
        span: kept.span,
        text: `${before ? ' ' : ''}${word}${after ? ' ' : ''}`,
      })),
    );
    this.#standIns = standIns;
  }

  /** Which word of a list is not one of the text, but stands for a part of it. */
  has(word: string): boolean {
    return this.#standIns.some((one) => one.word === word);
  }

  /**
   * A translation with what was kept in place of its stand-ins; `null` unless each stands in it exactly once.
   *
   * @param isPart the translation may be a beginning only, of which every stand-in is taken as it is
   */
  putBack(translation: string, isPart = false): PutBack | null {
    const places: { readonly at: Span; readonly kept: KeptSpan }[] = [];
    for (const {
      word,
      kept,
      isParted: [before, after],
    } of this.#standIns) {
      const pattern = new RegExp(
        `${before ? ' ?' : ''}(?<![\\p{sc=Latn}\\p{N}])${word}(?![\\p{sc=Latn}\\p{N}])${after ? ' ?' : ''}`,
        'giu',
      );
      const found = [...translation.matchAll(pattern)];
      if (found.length !== 1 && !isPart) return null;
      for (const { 0: match, index } of found) places.push({ at: [index, index + match.length], kept });
    }
    places.sort((a, b) => a.at[0] - b.at[0]);
    if (places.some(({ at }, i) => at[0] < (places[i - 1]?.at[1] ?? 0))) return null;
    const edits = places.map(({ at, kept }): Edit => ({ span: at, text: kept.text }));
    const edited = new EditedText(translation, edits);
    return { edited, places: places.map(({ at, kept }) => ({ kept, target: edited.after(at) })) };
  }
}

/** A translation, and where each kept span stands in it. */
export interface PutBack {
  readonly edited: EditedText;
  readonly places: readonly { readonly kept: KeptSpan; readonly target: Span }[];
}

/** For each translator, by languages and task: the kinds that it copies, best first. */
const known = new WeakMap<SentenceTranslator, Map<string, Promise<readonly Kind[]>>>();

/**
 * The kinds of stand-ins that a translator copies, found out when one is first needed: a fact of its models, which no
 * text changes, so that a translation does not depend on those before it.
 */
export function kindsFor(translator: SentenceTranslator, options: ReadOptions): Promise<readonly Kind[]> {
  const { srcLang, tgtLang, task, lexicalShortlist } = options;
  const own = known.get(translator) ?? new Map<string, Promise<readonly Kind[]>>();
  known.set(translator, own);
  const languages = Object.entries({ srcLang, tgtLang, task, lexicalShortlist }).filter(
    ([, value]) => value !== undefined,
  );
  const key = JSON.stringify(languages);
  const found = own.get(key) ?? tried(translator, Object.fromEntries(languages));
  own.set(key, found);
  found.catch(() => own.delete(key));
  return found;
}

/** In no language: what a model does with stand-ins between marks. */
const trials: readonly string[] = ['1', '1.', '1, 2.', '1: 2', '(1) 2, 3.'];

/** How many kinds a sentence is tried with before it is translated around what is kept. */
const mostKinds = 2;

async function tried(translator: SentenceTranslator, options: ReadOptions): Promise<readonly Kind[]> {
  const texts = kinds.flatMap((kind) =>
    trials.map((trial) => {
      const kept = Array.from(
        trial.matchAll(/\d/g),
        ({ index, 0: text }): KeptSpan => ({ span: [index, index + 1], text }),
      );
      return { kind, text: new StandInText(trial, kept, kind) };
    }),
  );
  const inputs: EncodedText[] = [];
  for (const { text } of texts) inputs.push(await encodeText(translator.model, text.text, options));
  const copied = new Map<Kind, number>();
  for await (const { place, sentence } of translator.each(inputs, { generation: options })) {
    const { kind, text } = texts[place] as (typeof texts)[number];
    if (text.putBack(sentence.text)) copied.set(kind, (copied.get(kind) ?? 0) + 1);
  }
  const times = (kind: Kind) => copied.get(kind) ?? 0;
  return kinds
    .filter((kind) => times(kind) > 0)
    .sort((a, b) => times(b) - times(a))
    .slice(0, mostKinds);
}
