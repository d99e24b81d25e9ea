/** The parts of a translation. */

import type { Attentions, GenerationResult } from '../generation/results.js';
import type { Span } from '../tokenizers/aligned_text.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import type { Tensor } from '../values/tensor.js';
import type { WordAlignment } from './word_alignment.js';

/** One of several results for a sentence. */
export interface Alternative {
  text: string;
  /** Its tokens, without special tokens. */
  tokens: string[];
  /** See `Sequence.score`. */
  score: number;
}

/** What stands otherwise in a translation than the model wrote it. */
export interface Change {
  /** The range of its source in the text that was given. */
  source: Span;
  /** Its range in the translated text. */
  target: Span;
  /** What the model wrote there; empty for nothing. */
  was: string;
  /**
   * `number`: the model wrote another number than the source has; `lost`: it lost, or doubled, what was to be kept, so
   * that the sentence was translated around it; `untranslated`: it wrote nothing, or cannot read the sentence.
   */
  reason: 'number' | 'lost' | 'untranslated';
}

/** Fields that both a text and each of its sentences have. */
interface Translated extends Alternative {
  /** Tokens of the source, as the model reads it. */
  sourceTokens: string[];
  /** The range of each token in the whole text; `null` for an added token. */
  sourceOffsets: (Span | null)[];
  /** Words of the source that are not in the vocabulary, and that the model therefore could only copy or leave out. */
  unknownWords: string[];
  /** In the order of the translation; absent where nothing was changed. */
  changed?: Change[];
}

/** A sentence, or what a sentence longer than the model's maximum was broken into. */
export interface TranslatedSentence extends Translated, Partial<Attentions> {
  /** Its range in the text that was given. */
  source: Span;
  /** The range of its translation in the translated text. */
  target: Span;
  /** The geometric mean of the probabilities of its tokens, from 0 to 1. */
  confidence: number;
  /** With `numReturnSequences` above 1: all results, best first. */
  alternatives?: Alternative[];
  /** With `alignment`. */
  alignment?: WordAlignment;
  /** Of a chain: the text that each model wrote; the last is `text`. */
  steps?: readonly string[];
  /** Of a chain: the tokens of the translation, and the ranges of all tokens; the end token's is empty. */
  targetTokens?: readonly string[];
  sourceSpans?: readonly Span[];
  targetSpans?: readonly Span[];
  /**
   * Of a chain: `[targetTokens, sourceTokens]`, how much attention each token gives to each of the source through all
   * models.
   */
  weights?: Tensor;
  /** Set where the model ended at its maximum of new tokens, so that the end of the sentence may be missing. */
  isCut?: true;
  /** Set where the model wrote nothing, or cannot read it as a whole: `text` is the source then. */
  isCopied?: true;
}

/**
 * A translated text. `tokens`, `sourceTokens` and `sourceOffsets` are those of all its sentences one after the other,
 * and `score` is the sum of theirs. What a pass over a result gives (`outputAttentions`, `outputHiddenStates`, `trace`)
 * and `alternatives` stand here only if the text is a single sentence; otherwise each sentence has its own.
 */
export interface Translation extends Translated, Partial<Attentions> {
  /** In the order of the text. Their ranges are disjoint; what lies between them stands in `text` as it was. */
  sentences: TranslatedSentence[];
  /** With `numReturnSequences` above 1: all results, best first. */
  alternatives?: Alternative[];
}

/** The result of a generation as a sentence at the beginning of a text. */
export function sentenceOf(
  tokenizer: Tokenizer,
  source: string,
  result: GenerationResult,
): TranslatedSentence {
  const { sequences, inputTokens, inputOffsets, unknownWords } = result;
  const { axes, encoderAttentions, decoderAttentions, crossAttentions } = result;
  const { encoderHiddenStates, decoderHiddenStates, trace } = result;
  const states = { encoderHiddenStates, decoderHiddenStates, trace };
  const captured = Object.fromEntries(Object.entries(states).filter(([, value]) => value !== undefined));
  const all = sequences.map(({ text, tokens, score }) => ({
    text,
    tokens: tokenizer.withoutSpecial(tokens),
    score,
  }));
  const best = all[0] ?? { text: '', tokens: [], score: 0 };
  const scores = sequences[0]?.tokenScores ?? [];
  return {
    ...best,
    sourceTokens: inputTokens,
    sourceOffsets: inputOffsets,
    unknownWords,
    ...(all.length > 1 ? { alternatives: all } : {}),
    ...(axes ? { axes, encoderAttentions, decoderAttentions, crossAttentions, ...captured } : {}),
    source: [0, source.length],
    target: [0, best.text.length],
    confidence: Math.exp(scores.reduce((sum, score) => sum + score, 0) / (scores.length || 1)),
  };
}

/** A text that is one sentence. */
export function translationOf(sentence: TranslatedSentence): Translation {
  const { source: _, target: __, confidence: ___, alignment: ____, isCut, isCopied, ...rest } = sentence;
  const { targetTokens, sourceSpans, targetSpans, weights, ...own } = rest;
  return { ...own, sentences: [sentence] };
}

/** The sums over parts of a text, in order: of a text its sentences, of a page its texts. */
export function summed(parts: readonly Translated[]): Translated {
  const changed = parts.flatMap((part) => part.changed ?? []);
  return {
    text: parts.map(({ text }) => text).join(''),
    tokens: parts.flatMap(({ tokens }) => tokens),
    score: parts.reduce((sum, { score }) => sum + score, 0),
    sourceTokens: parts.flatMap(({ sourceTokens }) => sourceTokens),
    sourceOffsets: parts.flatMap(({ sourceOffsets }) => sourceOffsets),
    unknownWords: [...new Set(parts.flatMap(({ unknownWords }) => unknownWords))],
    ...(changed.length > 0 && { changed }),
  };
}
