// Greedy decoding with a key-value cache, including the encoder's pass over the source.

import { base, randomNumbers, small, transformerWeights } from '../weights.mjs';
import { decodingFlops } from './transformer.mjs';

const startId = 2;
const newTokens = 64;

function decoding(name, size, { srcTime = 64, sampling } = {}) {
  const { dModel: d, dFf, numDecoderLayers, vocabSize } = size;
  return {
    name: `${name} ${sampling ? 'sampling' : 'decoding'}, ${newTokens} tokens after ${srcTime}`,
    kind: sampling ? 'sampling' : 'decoding',
    tokens: newTokens,
    flops: decodingFlops(size, { srcTime, newTokens }),
    // The weights that one step reads: the decoder's, except for the projections of the source, and the output projection.
    stepBytes: 4 * (numDecoderLayers * (6 * d * d + 2 * d * dFf) + d * vocabSize),
    problem: () => ({
      config: size,
      weights: transformerWeights(size),
      srcIds: Int32Array.from(randomNumbers(srcTime, 0.5, 4), (x) => Math.floor((x + 0.5) * vocabSize)),
      startId,
      newTokens,
      ...(sampling && { sampling }),
    }),
  };
}

/** All scores are sorted, and the best one alone is left to be drawn: what greedy decoding, the side `plain`, chooses. */
const sampling = { doSample: true, topK: 0, topP: 1e-6, seed: 1 };

/** The paper's vocabulary for the base model; a smaller one for the small model, which it would dominate otherwise. */
export const decodingRows = [
  decoding('base', { ...base, vocabSize: 32000 }),
  decoding('small', { ...small, vocabSize: 8000 }),
  decoding('base', { ...base, vocabSize: 32000 }, { srcTime: 1000 }),
  decoding('base', { ...base, vocabSize: 32000 }, { sampling }),
];
