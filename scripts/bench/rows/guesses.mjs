// Guessing tokens by prompt lookup. The side `plain` makes no guesses; the ids are the same. A random model that decodes greedily
// soon repeats itself, as a text does that is mostly copied; sampled at a high temperature, it repeats nothing.

import { base, randomNumbers, small, transformerWeights } from '../weights.mjs';
import { transformerFlops } from './transformer.mjs';

const srcTime = 64;
const newTokens = 64;

function guesses(name, size, sampling) {
  const { dModel: d, vocabSize } = size;
  return {
    name,
    kind: 'guesses',
    tokens: newTokens,
    flops: transformerFlops(size, { srcTime, tgtTime: newTokens }) + 2 * newTokens * d * vocabSize,
    problem: () => ({
      config: size,
      weights: transformerWeights(size),
      srcIds: Int32Array.from(randomNumbers(srcTime, 0.5, 4), (x) => Math.floor((x + 0.5) * vocabSize)),
      startId: 2,
      newTokens,
      sampling,
    }),
  };
}

const varied = { doSample: true, seed: 1, temperature: 3, topK: 0 };
const baseSize = { ...base, vocabSize: 32000 };
const smallSize = { ...small, vocabSize: 8000 };

export const guessRows = [
  guesses('base, guesses in a repeating text', baseSize, {}),
  guesses('base, guesses in a varied text', baseSize, varied),
  guesses('small, guesses in a repeating text', smallSize, {}),
  guesses('small, guesses in a varied text', smallSize, varied),
];
