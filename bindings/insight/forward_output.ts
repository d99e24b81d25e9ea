/** The output of a pass. */

import { hasDecoder, hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import type { PassOutput, Traced } from '../modules/embind.js';
import type { Plan } from '../plans/family.js';
import { frontOf, prefixOf } from '../plans/front_end_config.js';
import { asTensor, Tensor, type TensorData } from '../values/tensor.js';
import type { ReadForwardOptions } from './forward_options.js';
import { rollRight, type Shifts } from './roll.js';

/** Entries that the model does not have, or that were not requested, are missing. */
export interface ForwardOutput {
  /**
   * `[batch, time, vocabulary]`: scores of the next token, or of a masked word; [batch, labels] for a classifier of
   * texts, [batch, time, labels] of tokens; [batch, time] for ELECTRA's discriminator.
   */
  logits?: Tensor;
  /** [batch, time] each, of a model that answers questions: scores of the answer's first and last token. */
  startLogits?: Tensor;
  endLogits?: Tensor;
  /** [batch, time, dModel], for an encoder alone and for a model without output projection, or without its logits. */
  lastHiddenState?: Tensor;
  /**
   * [batch, labels] each, of a DeiT with a teacher: the scores of its two classifiers; `logits` is their mean.
   */
  clsLogits?: Tensor;
  distillationLogits?: Tensor;
  /** [batch, dModel], for an encoder with a pooler. */
  poolerOutput?: Tensor;
  /** [batch, source, dModel] */
  encoderLastHiddenState?: Tensor;
  /** [batch, heads, source, source] */
  encoderAttentions?: Tensor[];
  /** [batch, heads, time, time] */
  decoderAttentions?: Tensor[];
  /** [batch, heads, time, source] */
  crossAttentions?: Tensor[];
  /**
   * [batch, source, dModel] each: the input of the first layer, then every layer's output, the last after the final
   * norm
   */
  encoderHiddenStates?: Tensor[];
  /** [batch, time, dModel] each, likewise */
  decoderHiddenStates?: Tensor[];
  /** For a single-stack model: [batch, heads, time, time] per layer. */
  attentions?: Tensor[];
  /** For a single-stack model: [batch, time, dModel] each. */
  hiddenStates?: Tensor[];
  /**
   * Of pictures: how their tokens are placed, first `prefix` vectors that are not of a place (class, registers), then
   * `rows` times `columns` patches, so that `attentions[layer]` over the keys from `prefix` on is a picture. Missing
   * where the pictures of a batch have different grids.
   */
  patches?: PatchPlaces;
  /** [batch, patches], of pictures with different grids: 1 for a patch, 0 for padding. */
  patchMask?: Tensor;
  /** [batch, width], of the encoders of a model that compares pictures with texts: their projected vectors. */
  textFeatures?: Tensor;
  imageFeatures?: Tensor;
  /** The same at length 1. */
  textEmbeds?: Tensor;
  imageEmbeds?: Tensor;
  /** [images, texts] and [texts, images], of texts and pictures together. */
  logitsPerImage?: Tensor;
  logitsPerText?: Tensor;
  /** What each encoder gives, of texts and pictures together. */
  textModelOutput?: ForwardOutput;
  visionModelOutput?: ForwardOutput;
  /** The captured tensors, by the paths that were requested. */
  trace?: Record<string, Tensor>;
}

/** How the tokens of a picture are placed. */
export interface PatchPlaces {
  /** Tokens before the patches. */
  readonly prefix: number;
  readonly rows: number;
  readonly columns: number;
}

/** Where the patches are among the tokens of a pass. */
function gridOf(plan: Plan, { grid, mediaMask }: PassOutput): LogitsOutput {
  const front = frontOf(plan);
  if (front?.input !== 'pixelValues') return {};
  const [rows = 0, columns = 0] = grid;
  const prefix = prefixOf(front.patches);
  return {
    ...(columns > 0 && { patches: { prefix, rows, columns } }),
    ...(mediaMask && { patchMask: asTensor(mediaMask) }),
  };
}

/** Entries to add to the output; `undefined`: to take out of it. */
type LogitsOutput = { [name in keyof ForwardOutput]: ForwardOutput[name] | undefined };

type AllShifts = { readonly source: Shifts; readonly target: Shifts };

/**
 * @param wanted distinguishes outputs that were not requested from those that are empty: the engine returns [] for both
 */
export function collect(
  model: Loaded,
  output: PassOutput,
  shifts: AllShifts,
  wanted: ReadForwardOptions,
): ForwardOutput {
  const one = (path: string, tensor: TensorData | undefined) =>
    tensor && asTensor(placed(path, tensor, shifts));
  const lists = (isWanted: boolean | undefined) => (path: string, tensors: TensorData[]) =>
    isWanted ? tensors.map((tensor) => asTensor(placed(path, tensor, shifts))) : undefined;
  const attentions = lists(wanted.outputAttentions);
  const states = lists(wanted.outputHiddenStates);
  const stack = hasDecoder(model) ? 'decoder' : 'encoder';
  const isOfWhole = output.logits?.shape.length === 2;
  const logits = isOfWhole ? output.logits && asTensor(output.logits) : one(`${stack}.output`, output.logits);
  const pooled = wanted.sentence?.pooling.length ? output.embeds : output.poolerOutput;
  const both = {
    lastHiddenState: one(`${stack}.output`, output.output),
    poolerOutput: pooled && asTensor(pooled),
    ...(logits && logitsAs(model.plan.logits, logits, output.poolerOutput)),
    trace: wanted.trace && traceOf(output.trace, shifts),
    ...gridOf(model.plan, output),
  };
  const encoderAttentions = attentions('encoder.weights', output.encoderAttentions);
  const decoderAttentions = attentions('decoder.weights', output.decoderAttentions);
  const encoderHiddenStates = states('encoder.output', output.encoderHiddenStates);
  const decoderHiddenStates = states('decoder.output', output.decoderHiddenStates);
  if (!hasDecoder(model))
    return present({ ...both, attentions: encoderAttentions, hiddenStates: encoderHiddenStates });
  if (!hasEncoder(model))
    return present({ ...both, attentions: decoderAttentions, hiddenStates: decoderHiddenStates });
  return present({
    ...both,
    encoderLastHiddenState: one('encoder.output', output.encoderOutput),
    encoderAttentions,
    decoderAttentions,
    crossAttentions: attentions('decoder.cross_attn.weights', output.crossAttentions),
    encoderHiddenStates,
    decoderHiddenStates,
  });
}

/** Splits the two scores of each token; drops the axis of a single one; joins the scores of two classifiers. */
function logitsAs(kind: Plan['logits'], logits: Tensor, first?: TensorData): LogitsOutput {
  const [batch = 0, time = 0] = logits.shape;
  const shape = [batch, time];
  const every = (first: number) =>
    new Tensor(
      logits.data.filter((_, i) => i % 2 === first),
      shape,
    );
  switch (kind) {
    case 'spans':
      return { startLogits: every(0), endLogits: every(1) };
    case 'score':
      return { logits: new Tensor(logits.data, shape) };
    case 'twoClassifiers':
      return first ? meanLogits(asTensor(first), logits) : {};
    default:
      return { logits };
  }
}

/** @param every [batch, time, labels]: the second token of each counts */
function meanLogits(clsLogits: Tensor, every: Tensor): LogitsOutput {
  const { shape } = clsLogits;
  const time = every.shape[1] ?? 0;
  const labels = shape.at(-1) ?? 0;
  const second = clsLogits.data.map(
    (_, i) => every.data[(Math.floor(i / labels) * time + 1) * labels + (i % labels)] ?? 0,
  );
  const mean = second.map((value, i) => (value + (clsLogits.data[i] ?? 0)) / 2);
  return {
    logits: new Tensor(mean, shape),
    clsLogits,
    distillationLogits: new Tensor(second, shape),
    poolerOutput: undefined,
  };
}

const traceOf = (traced: readonly Traced[], shifts: AllShifts): Record<string, Tensor> =>
  Object.fromEntries(traced.map(({ name, path, tensor }) => [name, asTensor(placed(path, tensor, shifts))]));

/** Rolls the time axes of a tensor back, so that it lines up with the caller's tokens. */
function placed(path: string, tensor: TensorData, { source, target }: AllShifts): TensorData {
  const [own, memory] = path.startsWith('encoder.') ? [source, source] : [target, source];
  const keys = path.includes('cross_attn') ? memory : own;
  if (/(weights|scores)$/.test(path)) return rollRight(rollRight(tensor, 2, own), 3, keys);
  return rollRight(tensor, 1, /\.(keys|values)$/.test(path) ? keys : own);
}

/** Removes undefined entries. */
function present(output: LogitsOutput): ForwardOutput {
  return Object.fromEntries(Object.entries(output).filter(([, value]) => value !== undefined));
}
