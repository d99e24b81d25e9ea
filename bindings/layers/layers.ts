/** Layers with weights: linear, feed-forward, multi-head attention, encoder layer and decoder layer. */

import { border } from '../values/border.js';
import { type MaskLike, toMask } from '../values/masks.js';
import { readFields, toBoolean } from '../values/options.js';
import { asTensor, type Tensor, type TensorLike, toTensor } from '../values/tensor.js';
import { Layer } from './layer.js';

export interface SelfMasks {
  /** Boolean or 0/1, where 1 = may attend; broadcasts to [batch, heads, time, time]. */
  mask?: MaskLike;
  /** Added to the scores; broadcasts to [batch, heads, time, time]. `-Infinity` masks a key out. */
  bias?: TensorLike;
  /** 1 = real position, 0 = padding: [batch, time]. */
  keyPaddingMask?: MaskLike;
  /** Whether each position attends only to itself and to earlier ones; default false. */
  isCausal?: boolean;
}

export interface MemoryMasks {
  /** Like `mask`, from the decoder's positions to the memory's: [batch, heads, time, source time]. */
  memoryMask?: MaskLike;
  memoryBias?: TensorLike;
  /** 1 = real position, 0 = padding: [batch, source time]. */
  memoryKeyPaddingMask?: MaskLike;
}

export interface MultiHeadOptions extends SelfMasks {
  /** Whether to return the attention weights too. */
  needWeights?: boolean;
  /** Whether to return their mean over the heads instead; default false. */
  averageWeights?: boolean;
}

export const selfReaders = { mask: toMask, bias: toTensor, keyPaddingMask: toMask, isCausal: toBoolean };
export const memoryReaders = { memoryMask: toMask, memoryBias: toTensor, memoryKeyPaddingMask: toMask };

/** y = x W^T + b */
export class Linear extends Layer<'Linear'> {
  /** @param x [..., inFeatures] @returns [..., outFeatures] */
  async forward(x: TensorLike): Promise<Tensor> {
    const { host, handle } = this.alive();
    return asTensor(await host.invoke(handle, 'forward', toTensor(x, 'x')));
  }
}

/** FFN(x) = activation(x W1 + b1) W2 + b2 (Vaswani et al. 2017, eq. 2). */
export class FeedForward extends Layer<'FeedForward'> {
  /** @param x [..., dModel] @returns [..., dModel] */
  async forward(x: TensorLike): Promise<Tensor> {
    const { host, handle } = this.alive();
    return asTensor(await host.invoke(handle, 'forward', toTensor(x, 'x')));
  }
}

/** MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O (Vaswani et al. 2017, section 3.2.2). */
export class MultiHeadAttention extends Layer<'MultiHeadAttention'> {
  /**
   * @param query [batch, queries, dModel]; the batch axis is optional
   * @param key [batch, keys, kDim]; default: the query, which makes it self-attention
   * @param value [batch, keys, vDim]; default: the key
   * @returns output [batch, queries, dModel]; with `needWeights`, also weights [batch, heads, queries, keys], or
   *   [batch, queries, keys] with `averageWeights`
   */
  forward(
    query: TensorLike,
    key: TensorLike | undefined,
    value: TensorLike | undefined,
    options: MultiHeadOptions & { needWeights: true },
  ): Promise<{ output: Tensor; weights: Tensor }>;
  forward(
    query: TensorLike,
    key?: TensorLike,
    value?: TensorLike,
    options?: MultiHeadOptions,
  ): Promise<{ output: Tensor; weights?: Tensor }>;
  async forward(
    query: TensorLike,
    key: TensorLike = query,
    value: TensorLike = key,
    options?: MultiHeadOptions,
  ): Promise<{ output: Tensor; weights?: Tensor }> {
    const { host, handle } = this.alive();
    const { output, weights } = await host.invoke(
      handle,
      'forward',
      toTensor(query, 'query'),
      toTensor(key, 'key'),
      toTensor(value, 'value'),
      readFields(options, { ...selfReaders, needWeights: toBoolean, averageWeights: toBoolean }),
    );
    return { output: asTensor(output), ...(weights && { weights: asTensor(weights) }) };
  }
}

/** Self-attention, then feed-forward, each with a residual connection and a norm. */
export class EncoderLayer extends Layer<'EncoderLayer'> {
  /** @param x [batch, time, dModel]; the batch axis is optional @returns the shape of x */
  async forward(x: TensorLike, options?: SelfMasks): Promise<Tensor> {
    const { host, handle } = this.alive();
    return asTensor(await host.invoke(handle, 'forward', toTensor(x, 'x'), readFields(options, selfReaders)));
  }
}

/** Self-attention, cross-attention to the memory, feed-forward. `isCausal` defaults to false, as in PyTorch. */
export class DecoderLayer extends Layer<'DecoderLayer'> {
  /**
   * @param x [batch, time, dModel]; the batch axis is optional
   * @param memory [batch, source time, dModel], the encoder's output
   * @returns the shape of x
   */
  async forward(x: TensorLike, memory: TensorLike, options?: SelfMasks & MemoryMasks): Promise<Tensor> {
    const { host, handle } = this.alive();
    return asTensor(
      await host.invoke(
        handle,
        'forward',
        toTensor(x, 'x'),
        toTensor(memory, 'memory'),
        readFields(options, { ...selfReaders, ...memoryReaders }),
      ),
    );
  }
}

border(Linear, { forward: 'x' });
border(FeedForward, { forward: 'x' });
border(MultiHeadAttention, { forward: 'query key value options' });
border(EncoderLayer, { forward: 'x options' });
border(DecoderLayer, { forward: 'x memory options' });
