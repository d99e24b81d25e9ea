/** Why a model does what it does: parts of scores and logits, and sweeps of edits. The code is loaded with the first call. */

import type { LoadedModel } from '../checkpoint/loaded.js';
import { cross } from '../values/border.js';
import { fail } from '../values/errors.js';
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
   * `tokens` and `positions` of the embedding (the latter with BERT's token types), `decoder.layers.0.self.2` (a head, as in the
   * option `heads`), `decoder.layers.0.feed_forward`, `biases` (of all layers and norms together), and of a score `distance` (ALiBi,
   * relative positions).
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

/**
 * Where an attention score, or the logit of a token, comes from: it is linear in the residual stream, which is a sum of what
 * the embedding, each earlier head and each feed-forward layer wrote (Elhage et al. 2021, "A Mathematical Framework for Transformer
 * Circuits"; of logits, "direct logit attribution"). Attention weights stay as they were, and so does the scale of every norm between,
 * which makes it linear ("frozen"): a part says what a source wrote here, not what would happen without it. For that, see `edits` and
 * `sweep`.
 *
 * Each source takes a row of a batch through the model.
 *
 * @param inputs one sequence: token ids [1, time], of the encoder, of the decoder
 * @returns parts that sum to the score or logit
 * @throws TransformerError `invalid_argument`; `unsupported` where it is not a sum: capped scores and logits (Gemma 2),
 *   disentangled attention (DeBERTa), recurrent models and units, logits behind a classifier or BERT's head, pictures and sound; an
 *   abort rejects with the signal's reason.
 * @example
 * const { parts } = await attribute(model, { inputIds: [ids] }, { layer: 1, head: 0, query: 10, key: 6 });
 * const { parts } = await attribute(model, { inputIds: [ids] }, { position: ids.length - 1, token: yes, against: no });
 */
export function attribute(
  model: LoadedModel,
  inputs: OneSequence,
  question: ScoreQuestion,
): Promise<ScoreAttribution>;
export function attribute(
  model: LoadedModel,
  inputs: OneSequence,
  question: LogitQuestion,
): Promise<Attribution>;
export async function attribute(
  model: LoadedModel,
  inputs: OneSequence,
  options: ScoreQuestion | LogitQuestion,
): Promise<Attribution> {
  return cross('model inputs options', [model, inputs, options], async (...read) => {
    checkModel(model);
    return (await import('./attribution.js')).attribution(...read);
  });
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
  /** What is measured: the log-probability of a token, at least -103, or the difference of two logits. */
  measure: Pick<LogitQuestion, 'position' | 'token' | 'against'>;
}

export interface Sweep {
  /** The tensors that were patched. */
  readonly paths: readonly string[];
  readonly positions: readonly number[];
  readonly heads: readonly number[] | null;
  /** [paths, positions], with `heads` [paths, heads, positions]: how much the patched measure is above `base`. */
  readonly effects: Tensor;
  /** The measure of the sentence as it is. */
  readonly base: number;
  /** The same of the other sentence. */
  readonly other: number;
}

/**
 * Activation patching (Vig et al. 2020; Meng et al. 2022): each tensor that `at` names is replaced, position by position, by what it
 * is in another sentence, and the change of a token's probability is measured. All patches are rows of few passes.
 *
 * @param inputs one sequence: token ids [1, time], of the encoder, of the decoder
 * @throws TransformerError `invalid_argument`, `unsupported`; an abort rejects with the signal's reason.
 * @example
 * const { effects } = await sweep(model, tired, {
 *   from: wide,
 *   at: 'encoder.layers.*.residual',
 *   measure: { position: 9, token: elle, against: il },
 * });
 */
export async function sweep(model: LoadedModel, inputs: OneSequence, options: SweepOptions): Promise<Sweep> {
  return cross('model inputs options', [model, inputs, options], async (...read) => {
    checkModel(model);
    return (await import('./patch_sweep.js')).patchSweep(...read);
  });
}

function checkModel(model: unknown): void {
  if (typeof model !== 'object' || model === null || !('loaded' in model))
    fail('invalid_argument', 'the first argument must be a model that loadModel made');
}
