/** The results of a model. */

import type { Tensor } from '../values/tensor.js';

/** A token that could be chosen. */
export interface TokenLogprob {
  id: number;
  /** In the vocabulary's spelling; without a tokenizer, the id. */
  token: string;
  /** Its log-probability, after the rules for logits and before temperature and filters, as in `tokenScores`. */
  logprob: number;
}

/** A generated sequence. */
export interface Sequence {
  /** As from Python's `generate()`: the prompt of the decoder, then the generated tokens, end token included. */
  ids: number[];
  /** The generated tokens, end token included, with copied words among them; empty without a tokenizer. */
  tokens: string[];
  /** The ids as text, without special tokens; empty without a tokenizer. */
  text: string;
  /**
   * Sum of the `tokenScores`; in a beam search divided by length^lengthPenalty.
   */
  score: number;
  /**
   * Log-probability of each generated token after the rules for logits, such as penalties and forbidden tokens. For
   * sampled tokens it is that before temperature and the filters (`topK`, `topP`, ...), so that samples can be compared
   * with other results; only where beams sample, it is that after both, by which beams are ranked, as in Python.
   */
  tokenScores: number[];
  /** With `topLogprobs`, the most likely tokens at the place of each generated one, the best first. */
  topLogprobs?: TokenLogprob[][];
}

/** Attention weights of a pass over an input and a result, one tensor per layer. */
export interface Attentions {
  /** [1, heads, source, source] */
  encoderAttentions?: Tensor[] | undefined;
  /** `[1, heads, written, decoder]`: from each generated token (row) to the text so far */
  decoderAttentions?: Tensor[] | undefined;
  /** `[1, heads, written, source]`: from each generated token (row) to the source */
  crossAttentions?: Tensor[] | undefined;
  /** With `outputHiddenStates`, [1, time, dModel] each: see `ForwardOutput`. */
  encoderHiddenStates?: Tensor[] | undefined;
  decoderHiddenStates?: Tensor[] | undefined;
  /** With `trace`, the captured inner tensors. */
  trace?: Record<string, Tensor> | undefined;
  /** Labels of the axes: tokens, or ids if there is no tokenizer. */
  axes: {
    /** Tokens of the source; empty for a decoder alone. */
    source: string[];
    /** Input of the decoder: its prompt and all generated tokens but the last. */
    decoder: string[];
    /** The token after each of them; for generated tokens, the result's own. */
    written: string[];
  };
}

/** The results for one input. What a pass gives is that of the best one. */
export interface GenerationResult extends Partial<Attentions> {
  /** Best first. */
  sequences: Sequence[];
  /** Where a pass was asked for: what it gives for each of the sequences. */
  passes?: Partial<Attentions>[];
  /** Token ids of the input. */
  inputIds: number[];
  /** The tokens with these ids; empty without a tokenizer. */
  inputTokens: string[];
  /** The range of each token in the text: `[begin, end)`; `null` for an added token. */
  inputOffsets: ([begin: number, end: number] | null)[];
  /** Words of the text that are not in the vocabulary. */
  unknownWords: string[];
  /** The seed, if tokens were sampled: the same seed gives the same result. */
  seed?: number;
}

/** A piece of a text that is being generated. */
export interface StreamChunk {
  /** The token in the vocabulary's spelling, or the word that was copied in its place. */
  token: string;
  id: number;
  /** The text that it adds: the pieces concatenate to the whole. Empty for a special token. */
  text: string;
  /** Log-probability of the token. */
  score: number;
  /** With `topLogprobs`, the most likely tokens at its place, the best first. */
  topLogprobs?: TokenLogprob[];
}
