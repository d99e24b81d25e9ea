/** The attention weights of all layers and heads between two sequences of tokens. */

import type { Token } from './tokens.js';

/** The weights of one layer, [1, heads, queries, keys]. */
export interface LayerWeights {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** The index of a head, or the mean over all heads of the layer. */
export type HeadOrMean = number | 'mean';

export class AttentionMap {
  readonly layers: number;
  readonly heads: number;
  readonly #means: (Float32Array | undefined)[] = [];

  /**
   * @param queries the tokens of the rows
   * @param keys the tokens of the columns
   * @param weights one tensor per layer, [1, heads, queries, keys]
   */
  constructor(
    readonly queries: readonly Token[],
    readonly keys: readonly Token[],
    private readonly weights: readonly LayerWeights[],
  ) {
    this.layers = weights.length;
    this.heads = weights[0]?.shape[1] ?? 0;
  }

  /** [queries, keys]; each row sums to 1. Layers and heads are counted from 0. */
  of(layer: number, head: HeadOrMean): Float32Array {
    if (head === 'mean') {
      this.#means[layer] ??= this.#mean(layer);
      return this.#means[layer];
    }
    const { data } = this.weights[layer] as LayerWeights;
    const size = this.queries.length * this.keys.length;
    return data.subarray(head * size, (head + 1) * size);
  }

  /** The weights of one query. */
  row(layer: number, head: HeadOrMean, query: number): Float32Array {
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
