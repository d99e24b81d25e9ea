/** The attention weights of all layers and heads between two rows of tokens. */

import type { Tensor } from 'transformer-wasm';
import type { Token } from './tokens.js';

/** A head by its number, or the mean over all heads of its layer. */
export type Head = number | 'mean';

export class AttentionMap {
  readonly layers: number;
  readonly heads: number;
  readonly #means: (Float32Array | undefined)[] = [];

  /**
   * @param queries the tokens that look: the rows
   * @param keys the tokens that are looked at: the columns
   * @param weights one tensor a layer, [1, heads, queries, keys]
   */
  constructor(
    readonly queries: readonly Token[],
    readonly keys: readonly Token[],
    private readonly weights: readonly Tensor[],
  ) {
    this.layers = weights.length;
    this.heads = weights[0]?.shape[1] ?? 0;
  }

  /** Row by row, [queries, keys]; each row sums up to 1. Layers and heads are counted from 0. */
  of(layer: number, head: Head): Float32Array {
    if (head === 'mean') {
      this.#means[layer] ??= this.#mean(layer);
      return this.#means[layer];
    }
    const { data } = this.weights[layer] as Tensor;
    const size = this.queries.length * this.keys.length;
    return data.subarray(head * size, (head + 1) * size);
  }

  /** What one query gives to each key. */
  row(layer: number, head: Head, query: number): Float32Array {
    const width = this.keys.length;
    return this.of(layer, head).subarray(query * width, (query + 1) * width);
  }

  #mean(layer: number): Float32Array {
    const mean = new Float32Array(this.queries.length * this.keys.length);
    for (let head = 0; head < this.heads; head++) {
      const weights = this.of(layer, head);
      for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] ?? 0) + (weights[i] ?? 0) / this.heads;
    }
    return mean;
  }
}
