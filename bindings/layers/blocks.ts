/** Building blocks of attention and transformers that have no weights: functions of tensors. */

import type { Host } from '../engine/host.js';
import { border } from '../values/border.js';
import { fail } from '../values/errors.js';
import { causalMask, paddingMask } from '../values/masks.js';
import {
  checkNames,
  integerFrom,
  readFields,
  toBoolean,
  toEpsilon,
  toInteger,
  toObject,
  toPositive,
} from '../values/options.js';
import { asTensor, type Tensor, type TensorData, type TensorLike, toTensor } from '../values/tensor.js';
import {
  type AdditiveOptions,
  type AttentionOptions,
  additiveReaders,
  attentionReaders,
  type LuongOptions,
  luongReaders,
  normReaders,
  type ScoredAttention,
} from './block_options.js';

/** Key of an engine's internal host. */
export const hostKey = Symbol('host');

/**
 * All functions accept a `Tensor`, a plain `{ data, shape }` or nested arrays as tensors, and reject with a
 * `TransformerError`: `invalid_argument` (the message names the argument) or `disposed`.
 */
export abstract class Blocks {
  /** @internal */
  abstract readonly [hostKey]: Host;

  /**
   * Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V (Vaswani et al. 2017, eq. 1). A query that may not attend to any
   * key yields zeros for both output and weights.
   * @param query [..., queries, d_k]
   * @param key [..., keys, d_k]; leading axes (batch, heads) broadcast
   * @param value [..., keys, d_v]
   * @returns output [..., queries, d_v]; with `needWeights`, also weights [..., queries, keys]
   */
  scaledDotProductAttention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options: AttentionOptions & { needWeights: true },
  ): Promise<{ output: Tensor; weights: Tensor }>;
  scaledDotProductAttention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options?: AttentionOptions,
  ): Promise<{ output: Tensor; weights?: Tensor }>;
  async scaledDotProductAttention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options?: AttentionOptions,
  ): Promise<{ output: Tensor; weights?: Tensor }> {
    const { output, weights } = await this[hostKey].call(
      'scaledDotProductAttention',
      toTensor(query, 'query'),
      toTensor(key, 'key'),
      toTensor(value, 'value'),
      readFields(options, attentionReaders),
    );
    return { output: asTensor(output), ...(weights && { weights: asTensor(weights) }) };
  }

  /**
   * e_tj = v^T tanh(Ws s_t + Wh h_j), weights = softmax_j(e), context_t = sum_j weights_tj h_j
   * (Bahdanau, Cho and Bengio 2015, appendix A.1.2).
   * @param queries [..., queries, d_query], the decoder states s
   * @param keys [..., keys, d_key], the encoder states h
   */
  async additiveAttention(
    queries: TensorLike,
    keys: TensorLike,
    options: AdditiveOptions,
  ): Promise<ScoredAttention> {
    const fields = readFields(options, additiveReaders);
    for (const needed of ['Ws', 'Wh', 'v'] as const) requireField(fields, needed, 'additiveAttention');
    return scored(
      await this[hostKey].call(
        'additiveAttention',
        toTensor(queries, 'queries'),
        toTensor(keys, 'keys'),
        fields,
      ),
    );
  }

  /**
   * Attention with one of three scores, global or local (Luong, Pham and Manning 2015, sections 3.1 and 3.2).
   * @param queries [..., queries, d_query]
   * @param keys [..., keys, d_key]
   */
  async luongAttention(
    queries: TensorLike,
    keys: TensorLike,
    options: LuongOptions,
  ): Promise<ScoredAttention> {
    const { local, ...rest } = toObject(options, 'options');
    checkNames(rest, ['score', 'W', 'v', 'values', 'local', 'mask'], 'options');
    const around = toObject(local, 'local');
    checkNames(around, ['D', 'centers', 'gaussian'], 'local');
    if (local !== undefined)
      for (const needed of ['D', 'centers']) requireField(around, needed, 'local attention');
    const fields = readFields({ ...rest, ...around }, luongReaders);
    requireField(fields, 'score', 'luongAttention');
    if (fields.score !== 'dot') requireField(fields, 'W', `the ${fields.score} score`);
    if (fields.score === 'concat') requireField(fields, 'v', 'the concat score');
    return scored(
      await this[hostKey].call(
        'luongAttention',
        toTensor(queries, 'queries'),
        toTensor(keys, 'keys'),
        fields,
      ),
    );
  }

  /** exp(x_i) / sum_j exp(x_j) over the last axis. */
  async softmax(x: TensorLike): Promise<Tensor> {
    return asTensor(await this[hostKey].call('softmax', toTensor(x, 'x')));
  }

  /**
   * (x - mean) / sqrt(variance + eps) * weight + bias over the last axis (Ba, Kiros and Hinton 2016).
   * @param options weight and bias: [length of the last axis]; eps: default 1e-5
   */
  async layerNorm(
    x: TensorLike,
    options?: { weight?: TensorLike; bias?: TensorLike; eps?: number },
  ): Promise<Tensor> {
    return asTensor(
      await this[hostKey].call('layerNorm', toTensor(x, 'x'), readFields(options, normReaders)),
    );
  }

  /** x / sqrt(mean(x^2) + eps) * weight over the last axis (Zhang and Sennrich 2019); eps: default 1e-5. */
  async rmsNorm(x: TensorLike, options?: { weight?: TensorLike; eps?: number }): Promise<Tensor> {
    const readers = { weight: toTensor, eps: toEpsilon };
    return asTensor(await this[hostKey].call('rmsNorm', toTensor(x, 'x'), readFields(options, readers)));
  }

  /** Multiplies [..., m, k] by [..., k, n] to [..., m, n]; leading axes broadcast. */
  async matmul(a: TensorLike, b: TensorLike): Promise<Tensor> {
    return asTensor(await this[hostKey].call('matmul', toTensor(a, 'a'), toTensor(b, 'b')));
  }

  /**
   * PE(pos, 2i) = sin(pos / base^(2i / d_model)), PE(pos, 2i + 1) = cos(pos / base^(2i / d_model))
   * (Vaswani et al. 2017, section 3.5).
   * @param options base: default 10000; offset: position of the first row, default 0
   * @returns [length, dModel]
   */
  async positionalEncoding(
    length: number,
    dModel: number,
    options?: { base?: number; offset?: number },
  ): Promise<Tensor> {
    const maxLength = toInteger(length, 'length', { min: 0 });
    const width = toInteger(dModel, 'dModel', { min: 1 });
    const fields = readFields(options, { base: toPositive, offset: integerFrom(0) });
    return asTensor(await this[hostKey].call('positionalEncoding', width, { ...fields, maxLength }));
  }

  /**
   * Rotates pairs of features by angles proportional to the position (Su et al. 2021, section 3.4.2).
   * @param x [..., time, d_head]
   * @param options base: default 10000; offset: position of the first row, default 0; interleaved: whether the pairs
   *   are (2i, 2i + 1) rather than (i, i + d_head / 2)
   */
  async rotaryEmbedding(
    x: TensorLike,
    options?: { base?: number; offset?: number; interleaved?: boolean },
  ): Promise<Tensor> {
    const readers = { base: toPositive, offset: integerFrom(0), interleaved: toBoolean };
    const { offset = 0, interleaved, ...rotary } = readFields(options, readers);
    return asTensor(
      await this[hostKey].call('rotaryEmbedding', toTensor(x, 'x'), offset, {
        ...rotary,
        ...(interleaved && { layout: 'interleaved' }),
      }),
    );
  }

  /**
   * A bias for the scores that decreases with distance: slope_head * (key - query), where the last query has the
   * position of the last key (Press, Smith and Lewis 2022).
   * @returns [heads, queries, keys]
   */
  async alibiBias(heads: number, queries: number, keys: number): Promise<Tensor> {
    return asTensor(
      await this[hostKey].call(
        'alibiBias',
        toInteger(heads, 'heads', { min: 1 }),
        toInteger(queries, 'queries', { min: 0 }),
        toInteger(keys, 'keys', { min: 0 }),
      ),
    );
  }

  /** Causal mask [n, n] of 1 and 0: each position may attend to itself and to earlier positions. */
  async causalMask(n: number): Promise<Tensor> {
    return causalMask(n);
  }

  /**
   * Padding mask [batch, n] of 1 and 0: the first lengths[i] positions of sequence i are real, the others are padding.
   */
  async paddingMask(lengths: TensorLike, n: number): Promise<Tensor> {
    return paddingMask(lengths, n);
  }
}

function scored({ context, weights, scores }: Record<keyof ScoredAttention, TensorData>): ScoredAttention {
  return { context: asTensor(context), weights: asTensor(weights), scores: asTensor(scores) };
}

function requireField<Name extends string>(
  fields: { readonly [name in Name]?: unknown },
  field: Name,
  who: string,
): void {
  if (fields[field] === undefined) fail('invalid_argument', `${field} is missing: ${who} needs it`);
}

border(Blocks, {
  scaledDotProductAttention: 'query key value options',
  additiveAttention: 'queries keys options',
  luongAttention: 'queries keys options',
  softmax: 'x',
  layerNorm: 'x options',
  rmsNorm: 'x options',
  matmul: 'a b',
  positionalEncoding: 'length dModel options',
  rotaryEmbedding: 'x options',
  alibiBias: 'heads queries keys',
  causalMask: 'n',
  paddingMask: 'lengths n',
});
