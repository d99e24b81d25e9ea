/** Which words of a source a translation's words stand for, as the cross-attention shows it. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { ReadOptions } from '../generation/options.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { Tensor } from '../values/tensor.js';
import { type AlignedTranslation, alignsBy, alignTokens, type ToAlign } from './token_alignment.js';

/** Words are those of `Intl.Segmenter`, so a mark such as a comma is one too; white space is none. */
export interface WordAlignment {
  /**
   * `head`: the weights are those of the head that the checkpoint names, which was taught to align; `mean`: the mean of
   * all heads of the last layer, which were not.
   */
  from: 'head' | 'mean';
  /** The ranges of the words in the text that was given. */
  sourceWords: Span[];
  /** The ranges of the words in the translated text. */
  targetWords: Span[];
  /**
   * `[targetWords, sourceWords]`: how much of its attention a word of the translation gives to each word of the source.
   */
  weights: Tensor;
  /** For each word of the translation the index of the source word with the largest weight; `null` where all are 0. */
  links: (number | null)[];
}

/** @throws TransformerError `bad_checkpoint` for a head that the model does not have; the signal's reason. */
export async function alignAll(
  model: Loaded,
  sentences: readonly ToAlign[],
  options: ReadOptions,
): Promise<WordAlignment[]> {
  const aligned = await alignTokens(model, sentences, options);
  return aligned.map((one, i) => wordsOf(sentences[i]?.input ?? '', one, [model]));
}

/** @param models that gave the weights */
export function wordsOf(
  input: string,
  { text, sourceSpans, targetSpans, weights: rows }: AlignedTranslation,
  models: readonly Loaded[],
): WordAlignment {
  const [sourceWords, targetWords] = [placesOf(input), placesOf(text)];
  const data = new Float32Array(targetWords.length * sourceWords.length);
  const weights = new Tensor(data, [targetWords.length, sourceWords.length]);
  const placesInSource = sourceSpans.map((span) => (span[0] < span[1] ? wordAt(sourceWords, span) : null));
  const steps = new Map<number, number[]>();
  for (const [step, span] of targetSpans.entries()) {
    const word = wordAt(targetWords, span);
    if (word !== null) steps.set(word, [...(steps.get(word) ?? []), step]);
  }
  for (const [word, own] of steps) {
    const sums = data.subarray(word * sourceWords.length, (word + 1) * sourceWords.length);
    for (const step of own)
      for (const [key, place] of placesInSource.entries())
        if (place !== null)
          sums[place] =
            (sums[place] ?? 0) + (rows.data[step * placesInSource.length + key] ?? 0) / own.length;
  }
  const links = targetWords.map((_, word) => largestIn(data, word * sourceWords.length, sourceWords.length));
  const from = models.every((model) => alignsBy(model)) ? 'head' : 'mean';
  return { from, sourceWords, targetWords, weights, links };
}

let segmenter: Intl.Segmenter | undefined;

/** The ranges of the words, and of the marks between them. */
function placesOf(text: string): Span[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  const places: Span[] = [];
  for (const { index, segment } of segmenter.segment(text))
    if (segment.trim() !== '') places.push([index, index + segment.length]);
  return places;
}

/** The place of the word that a token is in, or begins in; `null` for a token without letters. */
function wordAt(words: readonly Span[], [begin, end]: Span): number | null {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle]?.[1] ?? 0) > begin) high = middle;
    else low = middle + 1;
  }
  const word = words[low];
  return word && word[0] < end ? low : null;
}

function largestIn(data: Float32Array, begin: number, length: number): number | null {
  let best: number | null = null;
  for (let i = 0; i < length; i++)
    if ((data[begin + i] ?? 0) > (best === null ? 0 : (data[begin + best] ?? 0))) best = i;
  return best;
}
