/** The attention weights of all layers and heads between two sequences of tokens. */

import type { Token } from './tokens.js';

/** The weights of one layer, [1, heads, queries, keys]. */
export interface LayerWeights {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** The index of a head, or the mean over the layer's heads that are on. */
export type HeadOrMean = number | 'mean';

export class AttentionMap {
  readonly layers: number;
  readonly heads: number;
  readonly #means: (Float32Array | undefined)[] = [];

  /**
   * @param queries the tokens of the rows
   * @param keys the tokens of the columns
   * @param weights one tensor per layer, [1, heads, queries, keys]
   * @param off heads that are switched off, as [layer, head]
   */
  constructor(
    readonly queries: readonly Token[],
    readonly keys: readonly Token[],
    private readonly weights: readonly LayerWeights[],
    private readonly off: readonly (readonly [layer: number, head: number])[] = [],
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

  /** Whether a head is switched off: it still looks, but what it finds goes nowhere. */
  isOff(layer: number, head: number): boolean {
    return this.off.some(([offLayer, offHead]) => offLayer === layer && offHead === head);
  }

  /** The weights of one query. */
  row(layer: number, head: HeadOrMean, query: number): Float32Array {
    const width = this.keys.length;
    return this.of(layer, head).subarray(query * width, (query + 1) * width);
  }

  #mean(layer: number): Float32Array {
    const mean = new Float32Array(this.queries.length * this.keys.length);
    const heads = Array.from({ length: this.heads }, (_, head) => head);
    const on = heads.filter((head) => !this.isOff(layer, head));
    for (const head of on) {
      const weights = this.of(layer, head);
      for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] ?? 0) + (weights[i] ?? 0) / on.length;
    }
    return mean;
  }
}
