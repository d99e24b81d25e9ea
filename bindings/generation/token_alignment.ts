/** Which tokens of a source those of a translation stand for, by the cross-attention; and through another language. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import { Tensor } from '../values/tensor.js';
import type { GenerationResult } from './results.js';

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

/**
 * The head that the model names, or else the mean of the last layer's heads.
 *
 * @param input what was read
 * @param result with attentions
 */
export function alignTokens(model: Loaded, input: string, result: GenerationResult): AlignedTranslation {
  const { sequences, inputTokens, inputOffsets, crossAttentions = [] } = result;
  const { ids = [], tokens = [], text = '' } = sequences[0] ?? {};
  const head = model.plan.aligning ?? model.plan.copying;
  const layer = crossAttentions[head?.layer ?? crossAttentions.length - 1];
  const [, heads = 0, queries = 0, keys = 0] = layer?.shape ?? [];
  if (!layer || (head && head.head >= heads))
    fail('unsupported', 'this model has no cross-attention that could align words');
  const chosen = head ? [head.head] : [...Array(heads).keys()];
  // The prompt's rows come first.
  const first = queries - tokens.length;
  const data = new Float32Array(tokens.length * keys);
  for (const one of chosen)
    for (let i = 0; i < data.length; i++)
      data[i] = (data[i] ?? 0) + (layer.data[(one * queries + first) * keys + i] ?? 0) / chosen.length;
  const written = ids.slice(-tokens.length || ids.length);
  return {
    text,
    sourceTokens: inputTokens,
    targetTokens: tokens,
    sourceSpans: withoutGaps(inputOffsets, input.length),
    targetSpans: spansOf(written, (some) => model.tokenizer?.decode(some) ?? '', text),
    weights: new Tensor(data, [tokens.length, keys]),
  };
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

/** The text that each token adds to that of the tokens before it. */
function spansOf(ids: readonly number[], decode: (ids: readonly number[]) => string, text: string): Span[] {
  let end = 0;
  return ids.map((_, i) => {
    const begin = end;
    const decoded = decode(ids.slice(0, i + 1));
    let common = 0;
    while (common < decoded.length && decoded[common] === text[common]) common++;
    end = Math.max(end, common);
    return [begin, end];
  });
}

/**
 * The alignment of a translation of a translation: the product of both. The second model cuts the text between them into
 * tokens of its own, so that the weight of each is spread over its characters, and from there to the first one's tokens.
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
