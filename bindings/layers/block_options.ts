/** What the building blocks take beside their tensors, and how it is read. */

import { fail } from '../engine/errors.js';
import { type MaskLike, toMask } from '../engine/masks.js';
import { choiceOf, integerFrom, toBoolean, toEpsilon, toNumber, toPositive } from '../engine/options.js';
import { type Tensor, type TensorData, type TensorLike, toTensor } from '../engine/tensor.js';

export interface AttentionOptions {
  /** 1 = may attend; broadcasts to [..., queries, keys]. */
  mask?: MaskLike;
  /** Added to the scores; broadcasts to [..., queries, keys]. -infinity forbids. */
  bias?: TensorLike;
  /** Each query sees the keys up to its own position; the last query sees all. */
  isCausal?: boolean;
  /** Of the scores; default 1 / sqrt(d_k). */
  scale?: number;
  /** Each query sees no key farther from it than this many positions. */
  window?: number;
  /** Whether the attention weights are wanted too. */
  needWeights?: boolean;
}

export interface AdditiveOptions {
  /** [d_attention, d_query], of the queries (decoder states s). */
  Ws: TensorLike;
  /** [d_attention, d_key], of the keys (encoder states h). */
  Wh: TensorLike;
  /** [d_attention] */
  v: TensorLike;
  /** [d_attention], inside of the tanh. */
  bias?: TensorLike;
  /** What is averaged, [..., keys, d_v]; default: the keys. */
  values?: TensorLike;
  /** 1 = may attend: [keys], [batch, keys] or [..., queries, keys]. */
  mask?: MaskLike;
}

export interface LuongOptions {
  /** q . k, q W k, or v . tanh(W [q; k]). */
  score: 'dot' | 'general' | 'concat';
  /** [d_query, d_key] for 'general', [d_attention, d_query + d_key] for 'concat'. */
  W?: TensorLike;
  /** [d_attention], for 'concat'. */
  v?: TensorLike;
  values?: TensorLike;
  /**
   * Local attention: query t sees the keys within D of centers[t], a position that need not be whole. `gaussian`
   * multiplies the weights by exp(-(j - p)^2 / (2 (D / 2)^2)), and does not make them sum to one again.
   */
  local?: { D: number; centers: TensorLike; gaussian?: boolean };
  mask?: MaskLike;
}

export interface ScoredAttention {
  /** [..., queries, d_v] */
  context: Tensor;
  /** [..., queries, keys] */
  weights: Tensor;
  /** [..., queries, keys], before mask and softmax. */
  scores: Tensor;
}

export const attentionReaders = {
  mask: toMask,
  bias: toTensor,
  isCausal: toBoolean,
  scale: toNumber,
  window: integerFrom(0),
  needWeights: toBoolean,
};
export const normReaders = { weight: toTensor, bias: toTensor, eps: toEpsilon };
export const additiveReaders = {
  Ws: toTensor,
  Wh: toTensor,
  v: toTensor,
  bias: toTensor,
  values: toTensor,
  mask: toMask,
};
export const luongReaders = {
  score: choiceOf(['dot', 'general', 'concat']),
  W: toTensor,
  v: toTensor,
  values: toTensor,
  mask: toMask,
  D: toPositive,
  centers: toFiniteTensor,
  gaussian: toBoolean,
};

/** Positions: one that is no number would silently see nothing. */
function toFiniteTensor(value: unknown, name: string): TensorData {
  const tensor = toTensor(value, name);
  const at = tensor.data.findIndex((number) => !Number.isFinite(number));
  if (at >= 0)
    fail('invalid_argument', `element ${at} of ${name} must be a finite number, got ${tensor.data[at]}`);
  return tensor;
}
