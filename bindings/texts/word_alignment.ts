/** Which words of a source a translation's words stand for, as the cross-attention shows it. */

import type { Loaded } from '../checkpoint/loaded.js';
import { type GenerationOptions, readOptions } from '../generation/options.js';
import type { GenerationResult } from '../generation/results.js';
import { runForward } from '../insight/forward.js';
import type { ForwardInputs } from '../insight/forward_inputs.js';
import { readForwardOptions } from '../insight/forward_options.js';
import { headsIn, layersIn } from '../plans/model_shape.js';
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

/** A sentence as the model read it, and its translation. */
export interface ToAlign {
  readonly input: string;
  readonly result: GenerationResult;
}

/** Aligns sentences of similar lengths: one pass over several of them. */
export async function alignAll(
  model: Loaded,
  sentences: readonly ToAlign[],
  options: GenerationOptions,
): Promise<WordAlignment[]> {
  const { heads, signal } = readOptions(options);
  const written = sentences.filter(({ result }) => (result.sequences[0]?.tokenScores.length ?? 0) > 0);
  const rows = new Map<ToAlign, Float32Array[]>();
  for (const group of groupsOf(model, written)) {
    signal?.throwIfAborted();
    const { crossAttentions = [] } = await runForward(model, inputsOf(group), {
      ...readForwardOptions({ outputAttentions: true }),
      heads,
    });
    for (const [place, one] of group.entries()) rows.set(one, rowsOf(model, crossAttentions, place, one));
  }
  return sentences.map((one) => alignmentOf(model, one, rows.get(one) ?? []));
}

/** The most numbers of attention that a pass over several sentences gives. */
const mostWeights = 1 << 24;

const lengthsOf = ({ result: { inputIds, sequences } }: ToAlign) => [
  inputIds.length,
  sequences[0]?.ids.length ?? 0,
];

function groupsOf({ plan }: Loaded, sentences: readonly ToAlign[]): ToAlign[][] {
  const groups: ToAlign[][] = [];
  let longest = 0;
  for (const one of sentences) {
    const group = groups.at(-1);
    longest = Math.max(longest, ...lengthsOf(one));
    const weights = 3 * longest ** 2 * headsIn(plan, 'decoder') * layersIn(plan, 'decoder');
    if (group && (group.length + 1) * weights <= mostWeights) group.push(one);
    else {
      groups.push([one]);
      longest = Math.max(...lengthsOf(one));
    }
  }
  return groups;
}

/** Padded on the right, where padding changes no weight. The last token was written, but never read. */
function inputsOf(group: readonly ToAlign[]): ForwardInputs {
  const sources = group.map(({ result }) => [...result.inputIds]);
  const targets = group.map(({ result }) => result.sequences[0]?.ids.slice(0, -1) ?? []);
  const [source, target] = [sources, targets].map((all) => Math.max(...all.map(({ length }) => length)));
  const filled = (row: readonly number[], length = 0) =>
    Array.from({ length }, (_, i) => row[i] ?? row[0] ?? 0);
  return {
    inputIds: sources.map((row) => filled(row, source)),
    decoderInputIds: targets.map((row) => filled(row, target)),
    ...(group.length > 1 && {
      attentionMask: sources.map(({ length }) =>
        Array.from({ length: source ?? 0 }, (_, i) => Number(i < length)),
      ),
    }),
  };
}

function alignmentOf(
  model: Loaded,
  { input, result }: ToAlign,
  rows: readonly Float32Array[],
): WordAlignment {
  const { inputOffsets, sequences } = result;
  const { ids = [], tokens = [], tokenScores = [], text = '' } = sequences[0] ?? {};
  const sourceWords = wordsOf(input);
  const targetWords = wordsOf(text);
  const data = new Float32Array(targetWords.length * sourceWords.length);
  const weights = new Tensor(data, [targetWords.length, sourceWords.length]);
  const placesInSource = inputOffsets.map((span) => (span ? wordAt(sourceWords, span) : null));
  const spans = rows.length > 0 ? tokenSpans(model, ids.slice(-tokenScores.length), tokens, text) : [];
  const placesInTarget = spans.map((span) => wordAt(targetWords, span));
  for (const [word] of targetWords.entries()) {
    const own = rows.filter((_, step) => placesInTarget[step] === word);
    const sums = data.subarray(word * sourceWords.length, (word + 1) * sourceWords.length);
    for (const row of own)
      for (const [key, place] of placesInSource.entries())
        if (place !== null) sums[place] = (sums[place] ?? 0) + (row[key] ?? 0) / own.length;
  }
  const links = targetWords.map((_, word) => largestIn(data, word * sourceWords.length, sourceWords.length));
  return { from: headOf(model) ? 'head' : 'mean', sourceWords, targetWords, weights, links };
}

const headOf = ({ plan }: Loaded) => plan.aligning ?? plan.copying;

/** A row of weights for each step that wrote a token; the step reads the one before it. */
function rowsOf(
  model: Loaded,
  layers: readonly Tensor[],
  place: number,
  { result }: ToAlign,
): Float32Array[] {
  const head = headOf(model);
  const layer = head ? layers[head.layer] : layers.at(-1);
  const [, heads = 0, time = 0, keys = 0] = layer?.shape ?? [];
  if (!layer || (head && head.head >= heads))
    fail('bad_checkpoint', 'config.json names a head for alignment that the decoder does not have');
  const chosen = head ? [head.head] : [...Array(heads).keys()];
  const { ids = [], tokenScores = [] } = result.sequences[0] ?? {};
  const first = ids.length - tokenScores.length - 1;
  const weightAt = (one: number, step: number, key: number) =>
    layer.data[((place * heads + one) * time + step) * keys + key] ?? 0;
  return tokenScores.map((_, i) =>
    Float32Array.from({ length: result.inputIds.length }, (_, key) => {
      const sum = chosen.reduce((sum, one) => sum + weightAt(one, first + i, key), 0);
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
