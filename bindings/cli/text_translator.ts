/** Translates the texts of a document, some at a time, and keeps what it has and what went wrong. */

import { wordsIn } from '../documents/document.js';
import type { AlignedSentence, AlignedText } from '../markup/placed_words.js';
import type { Model } from '../model/model.js';
import type { TranslateOptions, TranslateProgress } from '../texts/options.js';
import type { TranslatedSentence, Translation } from '../texts/results.js';
import type { Journal } from './journal.js';
import type { Memory } from './memory.js';

/** A translation as it is kept in a journal. */
export interface KeptText extends AlignedText {
  readonly unknownWords: readonly string[];
  readonly untranslated: readonly Untranslated[];
}

/** Text that is not, or not certainly, translated. */
export interface Untranslated {
  readonly text: string;
  /**
   * `copied`: it stands as it was; `cut`: the end of its translation may be missing; `structure`: its translation would
   * have changed the document's structure.
   */
  readonly reason: 'copied' | 'cut' | 'structure';
}

/** How much is translated at once: enough for full batches, and little to lose. In UTF-16 units. */
const atOnce = 16_000;

export class TextTranslator {
  readonly untranslated: Untranslated[] = [];
  readonly unknownWords = new Set<string>();
  readonly #model: Model;
  readonly #options: TranslateOptions;
  readonly #journal: Journal<KeptText> | null;
  readonly #memory: Memory | null;
  readonly #onWords: (words: number, isNew: boolean) => void;

  /** @param onWords called with the number of words of the source that are done */
  constructor(
    model: Model,
    options: TranslateOptions,
    { journal, memory }: { journal: Journal<KeptText> | null; memory: Memory | null },
    onWords: (words: number, isNew: boolean) => void,
  ) {
    this.#model = model;
    this.#options = options;
    this.#journal = journal;
    this.#memory = memory;
    this.#onWords = onWords;
  }

  async translate(texts: readonly string[], alignment: boolean): Promise<KeptText[]> {
    const results: KeptText[] = [];
    for (const group of groupsOf(texts)) {
      const kept = group.map((text) => this.#kept(text, alignment));
      const missing = [...new Set(group.filter((_, i) => kept[i] === undefined))];
      const made = new Map(await this.#make(missing, alignment));
      for (const [i, text] of group.entries()) {
        const result = kept[i] ?? (made.get(text) as KeptText);
        if (kept[i] !== undefined) this.#onWords(wordsIn(text), false);
        this.untranslated.push(...result.untranslated);
        for (const word of result.unknownWords) this.unknownWords.add(word);
        if (!alignment && result.untranslated.length === 0) this.#memory?.learn(text, result.text);
        results.push(result);
      }
    }
    return results;
  }

  /** A memory has no words to align: it serves texts without elements inside. */
  #kept(text: string, alignment: boolean): KeptText | undefined {
    const known = alignment ? undefined : this.#memory?.get(text);
    if (known === undefined) return this.#journal?.get(keyOf(text, alignment));
    return { text: known, sentences: [], unknownWords: [], untranslated: [] };
  }

  /** Tells the words of texts as far as they are translated. */
  #counter(texts: readonly string[]): (progress: TranslateProgress) => void {
    const words = texts.reduce((sum, text) => sum + wordsIn(text), 0);
    let told = 0;
    return ({ done, total }) => {
      const now = Math.round((words * done) / total);
      this.#onWords(now - told, true);
      told = now;
    };
  }

  async #make(texts: readonly string[], alignment: boolean): Promise<[string, KeptText][]> {
    if (texts.length === 0) return [];
    const onProgress = this.#counter(texts);
    const options = { ...this.#options, alignment, onProgress };
    const results = await this.#model.translate(texts, options);
    const made = texts.map((text, i): [string, KeptText] => [text, keptOf(text, results[i] as Translation)]);
    await this.#journal?.add(made.map(([text, kept]) => [keyOf(text, alignment), kept]));
    return made;
  }
}

const keyOf = (text: string, alignment: boolean) => `${alignment ? 'aligned' : 'plain'} ${text}`;

function* groupsOf(texts: readonly string[]): Generator<string[], void, void> {
  let group: string[] = [];
  let length = 0;
  for (const text of texts) {
    group.push(text);
    length += text.length;
    if (length < atOnce) continue;
    yield group;
    [group, length] = [[], 0];
  }
  if (group.length > 0) yield group;
}

const keptOf = (source: string, { text, sentences, unknownWords }: Translation): KeptText => ({
  text,
  sentences: sentences.map(keptSentence),
  unknownWords,
  untranslated: sentences.flatMap(({ source: span, isCopied, isCut }): Untranslated[] => {
    if (!isCopied && !isCut) return [];
    return [{ text: source.slice(...span), reason: isCopied ? 'copied' : 'cut' }];
  }),
});

/** Weights as numbers that JSON has. */
function keptSentence({ source, target, alignment }: TranslatedSentence): AlignedSentence {
  if (!alignment) return { source, target };
  const { sourceWords, targetWords, weights, links } = alignment;
  const data = Array.from(weights.data, (weight) => Number(weight.toPrecision(6)));
  return { source, target, alignment: { sourceWords, targetWords, weights: { data }, links } };
}
