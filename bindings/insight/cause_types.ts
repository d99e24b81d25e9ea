/** What is asked about causes, and the answers. */

import type { Tensor } from '../values/tensor.js';
import type { ExperimentOptions, OneSequence } from './repeated_inputs.js';

/** Which score of an attention is explained. */
export interface ScoreQuestion extends ExperimentOptions {
  /** Default: the encoder, or else the decoder. */
  kind?: 'encoder' | 'decoder' | 'cross';
  layer: number;
  head: number;
  /** Positions of the two tokens. */
  query: number;
  key: number;
}

/** Which logit is explained. */
export interface LogitQuestion extends ExperimentOptions {
  /** Whose next token it is; of an encoder, the masked word. */
  position: number;
  /** The token's id. */
  token: number;
  /** The id of another token, whose logit is subtracted. */
  against?: number;
}

export interface AttributedPart {
  /**
   * `tokens` and `positions` of the embedding (the latter with BERT's token types), `decoder.layers.0.self.2` (a head,
   * as in the option `heads`), `decoder.layers.0.feed_forward`, `biases` (of all layers and norms together), and of a
   * score `distance` (ALiBi, relative positions).
   */
  readonly source: string;
  readonly value: number;
}

export interface Attribution {
  /** The score as `trace` has it, or the logit. */
  readonly value: number;
  /** Of the logit; of a score by the sources of its key, with the whole query. */
  readonly parts: readonly AttributedPart[];
  /** What is missing from the sum of `parts`: below 1e-5 of the largest part, but for activations in 8 bits. */
  readonly rounding: number;
}

export interface ScoreAttribution extends Attribution {
  /** By the sources of its query, with the whole key. */
  readonly queryParts: readonly AttributedPart[];
  /** [sources of the query, sources of the key], in the order of both lists, without `distance`: q·k of each pair. */
  readonly pairs: Tensor;
}

/** What is patched, and what is measured. */
export interface SweepOptions extends ExperimentOptions {
  /** The other sentence, with as many tokens: its tensors are copied. */
  from: OneSequence;
  /** Paths as in `trace`, such as `encoder.layers.*.residual`. Each is patched by itself. */
  at: string;
  /** Tokens, of scores and weights the queries; each is patched by itself. Default: all. */
  positions?: readonly number[];
  /** Heads of queries, keys, values, scores or weights; each is patched by itself. Default: all together. */
  heads?: readonly number[];
  /**
   * Keys of scores or weights; each is patched by itself. Other weights of its query stay as they are, so that they no
   * longer sum to 1; a patched score shares all of them anew. Default: all together.
   */
  keys?: readonly number[];
  /** What is measured: the log-probability of a token, at least -103, or the difference of two logits. */
  measure: Pick<LogitQuestion, 'position' | 'token' | 'against'>;
}

export interface Sweep {
  /** The tensors that were patched. */
  readonly paths: readonly string[];
  readonly positions: readonly number[];
  readonly heads: readonly number[] | null;
  readonly keys: readonly number[] | null;
  /**
   * How much the patched measure is above `base`, as [paths, heads, positions, keys]; without `heads` or `keys`, these
   * axes are missing.
   */
  readonly effects: Tensor;
  /** The measure of the sentence as it is. */
  readonly base: number;
  /** The same of the other sentence. */
  readonly other: number;
}
