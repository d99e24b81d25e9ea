// Many inputs at once, of one caller or of many, and a busy page. The side `plain` does the same one input after the other, or on an
// idle page.

import { base, distilgpt2, randomNumbers, small, transformerWeights } from '../weights.mjs';
import { transformerFlops } from './transformer.mjs';

const startId = 2;

function generation(name, size, { lengths, newTokens, numBeams = 1, pageTasks = 0, apart = false }) {
  const { dModel: d, vocabSize } = size;
  const idsOf = (length, seed) =>
    Int32Array.from(randomNumbers(length, 0.5, seed), (x) => Math.floor((x + 0.5) * vocabSize));
  // A decoder alone is fed the source too, as its prompt.
  const fed = (length) => (size.numEncoderLayers > 0 ? newTokens : length + newTokens - 1);
  const flops = lengths.map((srcTime) => transformerFlops(size, { srcTime, tgtTime: fed(srcTime) }));
  const projections = 2 * lengths.length * numBeams * newTokens * d * vocabSize;
  return {
    name,
    kind: 'batch',
    tokens: lengths.length * newTokens,
    flops: numBeams * flops.reduce((sum, one) => sum + one, 0) + projections,
    problem: () => ({
      config: size,
      weights: transformerWeights(size),
      sources: lengths.map((length, i) => idsOf(length, i + 4)),
      startId,
      newTokens,
      numBeams,
      pageTasks,
      apart,
    }),
  };
}

/** An encoder alone: the side `plain` does the same in one batch. */
function encoderCallers(name, size, { count, time }) {
  const config = { ...size, numDecoderLayers: 0 };
  return {
    name,
    kind: 'encoderCallers',
    flops: count * transformerFlops(config, { srcTime: time }),
    problem: () => ({
      config,
      weights: transformerWeights(config),
      time,
      ids: Int32Array.from(randomNumbers(count * time, 0.5, 4), (x) =>
        Math.floor((x + 0.5) * size.vocabSize),
      ),
      startId,
    }),
  };
}

const baseSize = { ...base, vocabSize: 32000 };
const smallSize = { ...small, vocabSize: 8000 };
const short = (count) => new Array(count).fill(20);

export const batchRows = [
  generation('base, 16 x 20 tokens at once', baseSize, { lengths: short(16), newTokens: 20 }),
  generation('base, 16 callers at once', baseSize, { lengths: short(16), newTokens: 20, apart: true }),
  generation('small, 100 callers at once', smallSize, { lengths: short(100), newTokens: 20, apart: true }),
  encoderCallers('base encoder, 100 callers with 20 tokens', baseSize, { count: 100, time: 20 }),
  generation('small, 16 x 20 tokens at once', smallSize, { lengths: short(16), newTokens: 20 }),
  generation('small, 16 x 20 tokens, 4 beams', smallSize, { lengths: short(16), newTokens: 20, numBeams: 4 }),
  generation('small, 31 x 20 and 256 tokens at once', smallSize, {
    lengths: [...short(31), 256],
    newTokens: 20,
  }),
  generation("prompts of 4 and 96 tokens, GPT-2's half", distilgpt2, { lengths: [4, 96], newTokens: 20 }),
  generation("a prompt of 512 tokens, GPT-2's half", distilgpt2, { lengths: [512], newTokens: 1 }),
  generation('small decoding on a busy page', smallSize, { lengths: [64], newTokens: 64, pageTasks: 50 }),
];
