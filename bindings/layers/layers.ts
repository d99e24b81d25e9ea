/** Layers with weights: linear, feed-forward, multi-head attention, and the layers of encoder and decoder. */

import { type MaskLike, toMask } from '../engine/masks.js';
import { readFields, toBoolean } from '../engine/options.js';
import { asTensor, type Tensor, type TensorLike, toTensor } from '../engine/tensor.js';
import { Layer } from './layer.js';

export interface SelfMasks {
  /** 1 = may attend; broadcasts to [batch, heads, time, time]. */
  mask?: MaskLike;
  /** Added to the scores; broadcasts alike. -infinity forbids. */
  bias?: TensorLike;
  /** 1 = a real position, 0 = padding: [batch, time]. */
  keyPaddingMask?: MaskLike;
  /** Each position sees itself and those before it. Default false. */
  isCausal?: boolean;
}

export interface MemoryMasks {
  /** The same between the decoder's positions and those of the memory: [batch, heads, time, source time]. */
  memoryMask?: MaskLike;
  memoryBias?: TensorLike;
  /** [batch, source time] */
  memoryKeyPaddingMask?: MaskLike;
}

export interface MultiHeadOptions extends SelfMasks {
  /** Whether the attention weights are wanted too. */
  needWeights?: boolean;
  /** The mean over the heads in their place. Default false. */
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
   * @param query [batch, queries, dModel], or without the batch
   * @param key [batch, keys, kDim]; default: the query, which makes it self-attention
   * @param value [batch, keys, vDim]; default: the key
   * @returns output [batch, queries, dModel]; where `needWeights` is set, weights [batch, heads, queries, keys], or
   *   [batch, queries, keys] with `averageWeights`
   */
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

/** Self-attention, then feed-forward, each with residual and norm. */
export class EncoderLayer extends Layer<'EncoderLayer'> {
  /** @param x [batch, time, dModel], or without the batch @returns the same shape */
  async forward(x: TensorLike, options?: SelfMasks): Promise<Tensor> {
    const { host, handle } = this.alive();
    return asTensor(await host.invoke(handle, 'forward', toTensor(x, 'x'), readFields(options, selfReaders)));
  }
}

/** Self-attention, attention to the memory, feed-forward. `isCausal` is false unless it is set, as in PyTorch. */
export class DecoderLayer extends Layer<'DecoderLayer'> {
  /**
   * @param x [batch, time, dModel], or without the batch
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
