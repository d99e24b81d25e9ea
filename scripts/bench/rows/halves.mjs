// Checkpoints of 16 bits. The side `plain` widens the same files to float32; the results are the same to the last bit.

import { base, randomNumbers, transformerWeights } from '../weights.mjs';
import { transformerFlops } from './transformer.mjs';

const size = { ...base, vocabSize: 32000 };
const { dModel: d, vocabSize } = size;
const names = { BF16: 'bf16', F16: 'f16' };

function halves(name, stored, { srcTime, newTokens = 0, numBeams = 1 }) {
  const flops = transformerFlops(size, { srcTime, tgtTime: Math.max(1, newTokens) });
  return {
    name: `base ${name}, from ${names[stored]}`,
    kind: newTokens ? 'halves' : 'halvesEncoder',
    ...(newTokens && { tokens: newTokens }),
    flops: numBeams * (flops + 2 * newTokens * d * vocabSize),
    problem: () => ({
      config: size,
      weights: transformerWeights(size),
      stored,
      srcIds: Int32Array.from(randomNumbers(srcTime, 0.5, 4), (x) => Math.floor((x + 0.5) * vocabSize)),
      startId: 2,
      newTokens,
      numBeams,
    }),
  };
}

export const halfRows = Object.keys(names).flatMap((stored) => [
  halves('decoding, 64 tokens after 64', stored, { srcTime: 64, newTokens: 64 }),
  halves('decoding with 4 beams', stored, { srcTime: 64, newTokens: 64, numBeams: 4 }),
  ...[16, 64, 512].map((time) => halves(`encoder, ${time} tokens`, stored, { srcTime: time })),
]);
