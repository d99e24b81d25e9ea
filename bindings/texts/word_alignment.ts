/** Which words of a source a translation's words stand for, as the cross-attention shows it. */

import type { Loaded } from '../checkpoint/loaded.js';
import { type GenerationOptions, readOptions } from '../generation/options.js';
import { passOver } from '../generation/passes.js';
import type { GenerationResult } from '../generation/results.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import { Tensor } from '../values/tensor.js';

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
  /** `[targetWords, sourceWords]`: how much of its attention a word of the translation gives to each word of the source. */
  weights: Tensor;
  /** For each word of the translation the index of the source word with the largest weight; `null` where all are 0. */
  links: (number | null)[];
}

/** @param input what the model read */
export async function alignWords(
  model: Loaded,
  input: string,
  { sequences: [best], inputIds, inputOffsets }: GenerationResult,
  options: GenerationOptions,
): Promise<WordAlignment> {
  const { heads, signal } = readOptions(options);
  const { ids = [], tokens = [], tokenScores = [], text = '' } = best ?? {};
  const sourceWords = wordsOf(input);
  const targetWords = wordsOf(text);
  const from = headOf(model) ? 'head' : 'mean';
  const data = new Float32Array(targetWords.length * sourceWords.length);
  const weights = new Tensor(data, [targetWords.length, sourceWords.length]);
  if (tokenScores.length > 0) {
    const source = Int32Array.from(inputIds);
    const { crossAttentions = [] } = await passOver(model, source, ids, {
      outputAttentions: true,
      heads,
      signal,
    });
    const rows = rowsOf(model, crossAttentions).slice(ids.length - tokenScores.length - 1);
    const placesInSource = inputOffsets.map((span) => (span ? wordAt(sourceWords, span) : null));
    const placesInTarget = tokenSpans(model, ids.slice(-tokenScores.length), tokens, text).map((span) =>
      wordAt(targetWords, span),
    );
    for (const [word] of targetWords.entries()) {
      const own = rows.filter((_, step) => placesInTarget[step] === word);
      const sums = data.subarray(word * sourceWords.length, (word + 1) * sourceWords.length);
      for (const row of own)
        for (const [key, place] of placesInSource.entries())
          if (place !== null) sums[place] = (sums[place] ?? 0) + (row[key] ?? 0) / own.length;
    }
  }
  const links = targetWords.map((_, word) => largestIn(data, word * sourceWords.length, sourceWords.length));
  return { from, sourceWords, targetWords, weights, links };
}

const headOf = ({ plan }: Loaded) => plan.aligning ?? plan.copying;

/** A row of weights for each step; the step that writes a token reads the one before it. */
function rowsOf(model: Loaded, layers: readonly Tensor[]): Float32Array[] {
  const head = headOf(model);
  const layer = head ? layers[head.layer] : layers.at(-1);
  const [, heads = 0, time = 0, keys = 0] = layer?.shape ?? [];
  if (!layer || (head && head.head >= heads))
    fail('bad_checkpoint', 'config.json names a head for alignment that the decoder does not have');
  const chosen = head ? [head.head] : [...Array(heads).keys()];
  return Array.from({ length: time }, (_, step) =>
    Float32Array.from({ length: keys }, (_, key) => {
      const sum = chosen.reduce((sum, one) => sum + (layer.data[(one * time + step) * keys + key] ?? 0), 0);
      return sum / chosen.length;
    }),
  );
}

/** The ranges of the words, and of the marks between them. */
function wordsOf(text: string): Span[] {
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text);
  return Array.from(segments)
    .filter(({ segment }) => segment.trim() !== '')
    .map(({ index, segment }): Span => [index, index + segment.length]);
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

/** The range of each generated token in the text: what it adds to the text of those before it. */
function tokenSpans(model: Loaded, ids: readonly number[], tokens: readonly string[], text: string): Span[] {
  const { tokenizer } = model;
  const unknown = tokenizer?.unknownId ?? null;
  const mark = (unknown !== null && tokenizer?.tokenOf(unknown)) || null;
  const copied = tokens.filter((_, i) => ids[i] === unknown);
  let end = 0;
  return ids.map((_, i) => {
    let next = 0;
    const decoded = tokenizer?.decode(ids.slice(0, i + 1)) ?? '';
    const written = mark ? decoded.replaceAll(mark, (token) => copied[next++] ?? token) : decoded;
    const begin = end;
    end = Math.max(end, commonLength(written, text));
    return [begin, end];
  });
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function largestIn(data: Float32Array, begin: number, length: number): number | null {
  let best: number | null = null;
  for (let i = 0; i < length; i++)
    if ((data[begin + i] ?? 0) > (best === null ? 0 : (data[begin + best] ?? 0))) best = i;
  return best;
}
