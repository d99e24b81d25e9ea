/** Options of the building blocks, and how they are read. */

import { fail } from '../values/errors.js';
import { type MaskLike, toMask } from '../values/masks.js';
import { choiceOf, integerFrom, toBoolean, toEpsilon, toNumber, toPositive } from '../values/options.js';
import { type Tensor, type TensorData, type TensorLike, toTensor } from '../values/tensor.js';

export interface AttentionOptions {
  /** Boolean or 0/1, where 1 = may attend; broadcasts to [..., queries, keys]. */
  mask?: MaskLike;
  /** Added to the scores; broadcasts to [..., queries, keys]. `-Infinity` masks a key out. */
  bias?: TensorLike;
  /** Causal masking: each query attends only to keys up to its own position, and the last query to all keys. */
  isCausal?: boolean;
  /** Factor of the scores; default 1 / sqrt(d_k). */
  scale?: number;
  /** Each query attends only to keys at most this many positions away. */
  window?: number;
  /** Whether to return the attention weights too. */
  needWeights?: boolean;
}

export interface AdditiveOptions {
  /** [d_attention, d_query], projects the queries (decoder states s). */
  Ws: TensorLike;
  /** [d_attention, d_key], projects the keys (encoder states h). */
  Wh: TensorLike;
  /** [d_attention] */
  v: TensorLike;
  /** [d_attention], added inside the tanh. */
  bias?: TensorLike;
  /** Averaged by the weights, [..., keys, d_v]; default: the keys. */
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
   * Local attention: query t attends to the keys within distance D of centers[t], which need not be an integer.
   * `gaussian` multiplies the weights by exp(-(j - p)^2 / (2 (D / 2)^2)) without normalising them again.
   */
  local?: { D: number; centers: TensorLike; gaussian?: boolean };
  mask?: MaskLike;
}

export interface ScoredAttention {
  /** [..., queries, d_v] */
  context: Tensor;
  /** [..., queries, keys] */
  weights: Tensor;
  /** [..., queries, keys], before masking and softmax. */
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

/** Rejects NaN and infinity: such a center would silently attend to nothing. */
function toFiniteTensor(value: unknown, name: string): TensorData {
  const tensor = toTensor(value, name);
  const at = tensor.data.findIndex((number) => !Number.isFinite(number));
  if (at >= 0)
    fail('invalid_argument', `element ${at} of ${name} must be a finite number, got ${tensor.data[at]}`);
  return tensor;
}
