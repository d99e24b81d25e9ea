/** Twelve layers with random weights, with the norm after the sum or before: how long the vectors become on the way. */

import type { Engine } from 'transformer-wasm';

const [dModel, tokens, layers] = [64, 16, 12];

export type NormPlace = 'post' | 'pre';

/** What stands in their place until they are computed. */
export const unknownLengths: readonly number[] = Array.from({ length: layers }, () => 0);

/** The mean length of the vectors after each layer, first layer first. */
export async function lengthsByDepth(engine: Engine, norm: NormPlace): Promise<number[]> {
  const lengths: number[] = [];
  let x = await engine.positionalEncoding(tokens, dModel);
  for (let i = 0; i < layers; i++) {
    const layer = await engine.encoderLayer({ dModel, numHeads: 4, dFf: 256, norm }, { seed: i + 1 });
    try {
      x = await layer.forward(x);
    } finally {
      layer.dispose();
    }
    lengths.push(meanLength(x.data));
  }
  return lengths;
}

function meanLength(data: Float32Array): number {
  let sum = 0;
  for (let token = 0; token < tokens; token++) {
    const vector = data.subarray(token * dModel, (token + 1) * dModel);
    sum += Math.sqrt(vector.reduce((squares, value) => squares + value * value, 0));
  }
  return sum / tokens;
}
