/**
 * Why a model does what it does: parts of scores and logits, and sweeps of edits. The code is loaded with the first
 * call.
 */

import type { LoadedModel } from '../checkpoint/loaded.js';
import { cross } from '../values/border.js';
import { fail } from '../values/errors.js';
import type {
  Attribution,
  LogitQuestion,
  ScoreAttribution,
  ScoreQuestion,
  Sweep,
  SweepOptions,
} from './cause_types.js';
import type { OneSequence } from './repeated_inputs.js';

/**
 * Where an attention score, or the logit of a token, comes from: it is linear in the residual stream, which is a sum of
 * what the embedding, each earlier head and each feed-forward layer wrote (Elhage et al. 2021, "A Mathematical
 * Framework for Transformer Circuits"; of logits, "direct logit attribution"). Attention weights stay as they were, and
 * so does the scale of every norm between, which makes it linear ("frozen"): a part says what a source wrote here, not
 * what would happen without it. For that, see `edits` and `sweep`.
 *
 * Each source takes a row of a batch through the model.
 *
 * @param inputs one sequence: token ids [1, time], of the encoder, of the decoder
 * @returns parts that sum to the score or logit
 * @throws TransformerError `invalid_argument`; `unsupported` where it is not a sum: capped scores and logits (Gemma 2),
 *   disentangled attention (DeBERTa), recurrent models and units, logits behind a classifier or BERT's head, pictures
 *   and sound; an abort rejects with the signal's reason.
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
  return cross('model inputs options', [model, inputs, options] as const, async (one, sequence, question) => {
    checkModel(one);
    return (await import('./attribution.js')).attribution(one, sequence, question);
  });
}

/**
 * Activation patching (Vig et al. 2020; Meng et al. 2022): each tensor that `at` names is replaced, position by
 * position, by what it is in another sentence, and the change of a token's probability is measured. All patches are
 * rows of few passes.
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
  return cross('model inputs options', [model, inputs, options] as const, async (one, sequence, asked) => {
    checkModel(one);
    return (await import('./patch_sweep.js')).patchSweep(one, sequence, asked);
  });
}

function checkModel(model: unknown): void {
  if (typeof model !== 'object' || model === null || !('loaded' in model))
    fail('invalid_argument', 'the first argument must be a model that loadModel made');
}
