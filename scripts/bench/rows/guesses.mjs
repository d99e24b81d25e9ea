// Guessing tokens by prompt lookup, and with a smaller model. The side `plain` makes no guesses; the ids are the same. A random
// model that decodes greedily soon repeats itself, as a text does that is mostly copied; sampled at a high temperature, it repeats
// nothing. An assistant of one layer, in 8 bits, agrees with a model whose other layers add nothing, and never with another one.

import { extractiveProblem } from '../extractive.mjs';
import { base, idleLayers, randomNumbers, small, transformerWeights } from '../weights.mjs';
import { decodingFlops } from './transformer.mjs';

const srcTime = 64;
const newTokens = 64;

const guessRow = (name, size, times, problem) => ({
  name,
  kind: 'guesses',
  tokens: times.newTokens,
  flops: decodingFlops(size, times),
  problem,
});

const guesses = (name, size, sampling) =>
  guessRow(name, size, { srcTime, newTokens }, () => ({
    config: size,
    weights: transformerWeights(size),
    srcIds: Int32Array.from(randomNumbers(srcTime, 0.5, 4), (x) => Math.floor((x + 0.5) * size.vocabSize)),
    startId: 2,
    newTokens,
    sampling,
  }));

/** A summary that is made of the source's own words. */
const summary = (name, size, times) => guessRow(name, size, times, () => extractiveProblem(size, times));

/** Greedy decoding with an assistant of one layer in each stack. */
function assisted(name, size, agrees) {
  const row = guesses(name, size, {});
  const isKept = ([tensor]) => !/\.layers\.[1-9]/.test(tensor);
  return {
    ...row,
    problem: () => {
      const { weights, ...problem } = row.problem();
      const own = agrees ? idleLayers(weights, /\.layers\.[1-9]/) : weights;
      const assistant = {
        config: { ...size, numEncoderLayers: 1, numDecoderLayers: 1 },
        weights: Object.fromEntries(Object.entries(weights).filter(isKept)),
      };
      return { ...problem, weights: own, assistant };
    },
  };
}

const varied = { doSample: true, seed: 1, temperature: 3, topK: 0 };
const baseSize = { ...base, vocabSize: 32000 };
const smallSize = { ...small, vocabSize: 8000 };

export const guessRows = [
  summary('base, guesses in an extractive summary', baseSize, { srcTime: 256, newTokens: 128 }),
  guesses('base, guesses in a repeating text', baseSize, {}),
  guesses('base, guesses in a varied text', baseSize, varied),
  guesses('small, guesses in a repeating text', smallSize, {}),
  guesses('small, guesses in a varied text', smallSize, varied),
  assisted('base, guesses of an assistant that agrees', baseSize, true),
  assisted('base, guesses of an assistant that does not', baseSize, false),
];
