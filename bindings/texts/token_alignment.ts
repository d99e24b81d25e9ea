/** Which tokens of a source those of a translation stand for, by the cross-attention; and through another language. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { ReadOptions } from '../generation/options.js';
import type { GenerationResult } from '../generation/results.js';
import { crossWeights } from '../insight/cross_weights.js';
import type { ForwardInputs } from '../insight/forward_inputs.js';
import { headsIn, layersIn } from '../plans/model_shape.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import { Tensor } from '../values/tensor.js';

/** A translation and its alignment. The end token is the last one on both sides, and has an empty range. */
export interface AlignedTranslation {
  readonly text: string;
  readonly sourceTokens: readonly string[];
  readonly targetTokens: readonly string[];
  /** The range of each token in its text. */
  readonly sourceSpans: readonly Span[];
  readonly targetSpans: readonly Span[];
  /** `[target, source]`: how much of its attention each token of the translation gives to each of the source. */
  readonly weights: Tensor;
}

/** A sentence as the model read it, and its translation. */
export interface ToAlign {
  readonly input: string;
  readonly result: GenerationResult;
}

/** Aligns sentences of similar lengths: one pass over several of them. */
export async function alignTokens(
  model: Loaded,
  sentences: readonly ToAlign[],
  { heads, edits, signal }: ReadOptions,
): Promise<AlignedTranslation[]> {
  const written = sentences.filter(({ result }) => (result.sequences[0]?.tokenScores.length ?? 0) > 0);
  const rows = new Map<ToAlign, Tensor>();
  const layer = alignsBy(model)?.layer ?? layersIn(model.plan, 'decoder') - 1;
  for (const group of groupsOf(model, written)) {
    signal?.throwIfAborted();
    const weights = await crossWeights(model, inputsOf(group), { layer, heads, edits });
    for (const [place, one] of group.entries()) rows.set(one, rowsOf(model, weights, place, one));
  }
  return sentences.map((one) => {
    const { inputTokens, inputOffsets, sequences } = one.result;
    const { ids = [], tokens = [], tokenScores = [], text = '' } = sequences[0] ?? {};
    const weights = rows.get(one);
    return {
      text,
      sourceTokens: inputTokens,
      targetTokens: weights ? tokens : [],
      sourceSpans: withoutGaps(inputOffsets, one.input.length),
      targetSpans: weights ? tokenSpans(model, ids.slice(-tokenScores.length), tokens, text) : [],
      weights: weights ?? new Tensor(new Float32Array(), [0, inputTokens.length]),
    };
  });
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

/** The head that the model names for it; `undefined`: all of the last layer. */
export const alignsBy = ({ plan }: Loaded) => plan.aligning ?? plan.copying;

/**
 * `[written, source]`: a row of weights for each step that wrote a token; the step reads the one before it.
 *
 * @param layer the weights [batch, heads, target, source]
 */
function rowsOf(model: Loaded, layer: Tensor | undefined, place: number, { result }: ToAlign): Tensor {
  const head = alignsBy(model)?.head;
  const [, heads = 0, time = 0, keys = 0] = layer?.shape ?? [];
  if (!layer || (head ?? 0) >= heads)
    fail('bad_checkpoint', 'config.json names a head for alignment that the decoder does not have');
  const chosen = head === undefined ? [...Array(heads).keys()] : [head];
  const { ids = [], tokenScores = [] } = result.sequences[0] ?? {};
  const first = ids.length - tokenScores.length - 1;
  const { length } = result.inputIds;
  const data = new Float32Array(tokenScores.length * length);
  for (let step = 0; step < tokenScores.length; step++) {
    const rows = chosen.map((one) => ((place * heads + one) * time + first + step) * keys);
    for (let key = 0; key < length; key++) {
      let sum = 0;
      for (const row of rows) sum += layer.data[row + key] ?? 0;
      data[step * length + key] = sum / rows.length;
    }
  }
  return new Tensor(data, [tokenScores.length, length]);
}

/** A token without a range is an empty one behind the token before it; the end token at the end. */
function withoutGaps(offsets: readonly (Span | null)[], length: number): Span[] {
  let end = 0;
  return offsets.map((span, i) => {
    const place = i === offsets.length - 1 ? length : end;
    end = span?.[1] ?? end;
    return span ?? [place, place];
  });
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

/**
 * The alignment of a translation of a translation: the product of both. The second model cuts the text between them
 * into tokens of its own, so that the weight of each is spread over its characters, and from there to the first one's
 * tokens.
 */
export function throughPivot(first: AlignedTranslation, second: AlignedTranslation): AlignedTranslation {
  const [targets = 0, keys = 0] = second.weights.shape;
  const [pivots = 0, sources = 0] = first.weights.shape;
  const shares = second.sourceSpans.map((span, key) =>
    key === keys - 1 ? [[pivots - 1, 1] as const] : sharesOf(span, first.targetSpans),
  );
  const data = new Float32Array(targets * sources);
  for (let target = 0; target < targets; target++) {
    for (const [key, parts] of shares.entries()) {
      const weight = second.weights.data[target * keys + key] ?? 0;
      for (const [pivot, share] of parts)
        for (let source = 0; source < sources; source++) {
          const place = target * sources + source;
          data[place] =
            (data[place] ?? 0) + weight * share * (first.weights.data[pivot * sources + source] ?? 0);
        }
    }
  }
  const { sourceTokens, sourceSpans } = first;
  const { text, targetTokens, targetSpans } = second;
  const weights = new Tensor(data, [targets, sources]);
  return { text, sourceTokens, sourceSpans, targetTokens, targetSpans, weights };
}

/** Which part of a range is in each of the others; an empty one is in that which goes on there. */
function sharesOf([begin, end]: Span, others: readonly Span[]): (readonly [place: number, share: number])[] {
  if (begin === end) {
    const place = others.findIndex(([from, to]) => from <= begin && begin < to);
    return [[place < 0 ? others.length - 1 : place, 1]];
  }
  return others.flatMap(([from, to], place) => {
    const common = Math.min(end, to) - Math.max(begin, from);
    return common > 0 ? [[place, common / (end - begin)] as const] : [];
  });
}
