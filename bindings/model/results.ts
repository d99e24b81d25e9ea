/** What a model answers. */

import type { Tensor } from '../engine/tensor.js';

/** A generated sequence. */
export interface Sequence {
  /** As Python's `generate()` gives them: what the decoder began with, then what it wrote, end token included. */
  ids: number[];
  /** The generated tokens, end token included; empty without a tokenizer. */
  tokens: string[];
  /** The ids as text, without special tokens; empty without a tokenizer. */
  text: string;
  /** Log-probability of what was generated; of a beam search divided by length^lengthPenalty. */
  score: number;
  /** Log-probability of each generated token. */
  tokenScores: number[];
}

/** The attention weights of one pass over an input and its best result. Each is one tensor a layer. */
export interface Attentions {
  /** [1, heads, source, source] */
  encoderAttentions?: Tensor[] | undefined;
  /** `[1, heads, written, decoder]`: what of the text so far was looked at while each token was written */
  decoderAttentions?: Tensor[] | undefined;
  /** `[1, heads, written, source]`: what of the source was looked at while each token was written */
  crossAttentions?: Tensor[] | undefined;
  /** With `outputHiddenStates`, [1, time, dModel] each: see `ForwardOutput`. */
  encoderHiddenStates?: Tensor[] | undefined;
  decoderHiddenStates?: Tensor[] | undefined;
  /** With `trace`, the inner tensors that were asked for. */
  trace?: Record<string, Tensor> | undefined;
  /** The names of the axes; ids where there is no tokenizer. */
  axes: {
    /** Tokens of the source; empty for a decoder alone. */
    source: string[];
    /** Tokens that the decoder was fed: what it begins with, then what it wrote but for the last. */
    decoder: string[];
    /** For each of these the token that came next: the result's own for those that were generated. */
    written: string[];
  };
}

/** The results for one input. */
export interface GenerationResult extends Partial<Attentions> {
  /** Best first. */
  sequences: Sequence[];
  /** What the model was given. */
  inputIds: number[];
  /** The same as tokens; empty without a tokenizer. */
  inputTokens: string[];
  /** For each of them where it is in the text: `[begin, end)`; `null` for one that was added. */
  inputOffsets: ([begin: number, end: number] | null)[];
  /** Words of the text that the vocabulary does not have. */
  unknownWords: string[];
  /** What drew the tokens, where they were drawn: the same seed gives the same result. */
  seed?: number;
}

/** A translated text. */
export interface Translation extends Partial<Attentions> {
  text: string;
  /** Its tokens, without special ones. */
  tokens: string[];
  /** See {@link Sequence.score}. */
  score: number;
  /** Tokens of the source as the model reads it. */
  sourceTokens: string[];
  /** For each of them where it is in the text: `[begin, end)`; `null` for one that was added. */
  sourceOffsets: ([begin: number, end: number] | null)[];
  /** Words of the source that the vocabulary does not have, and that the model so could not understand. */
  unknownWords: string[];
  /** With `numReturnSequences` above 1: all results, best first. */
  alternatives?: { text: string; tokens: string[]; score: number }[];
}

/** A piece of a text that is being generated. */
export interface StreamChunk {
  /** The token as the vocabulary has it. */
  token: string;
  id: number;
  /** What it adds to the text: joined, the pieces are the whole. Empty for a token that is no text. */
  text: string;
  /** Log-probability of the token. */
  score: number;
}
