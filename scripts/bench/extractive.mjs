// A model that writes what an extractive summary is: spans of its source, taken from different places, now and then with a
// token of its own. It costs what any other model of its size does.
//
// The hidden states hold a token's embedding and, in their last numbers, the code of a place in the source: of the place where
// it stands in the encoder, of the place to be read next in the decoder, whose learned positions hold it. The first
// cross-attention matches the codes in every head and adds the embedding that it finds to the token before, times four. The other
// layers add nothing, but their other matrices are as random as anyone's.

import { idleLayers, randomNumbers, randomTensor, transformerWeights } from './weights.mjs';

const sharpness = 2; // a code's product with itself is then 8 * 2^2, and about 10 less with any other
const valueGain = 4;
const ownGain = 12; // of a token that the decoder's positions hold in place of a code

/** Uniform in [0, 1). */
const uniform = (count, seed) => randomNumbers(count, 0.5, seed).map((x) => x + 0.5);

/** Tokens as frequent as a text's words are: a few of them make up most of it. (Zipf.) */
const wordsOf = (count, vocabSize, seed) =>
  Int32Array.from(uniform(count, seed), (x) => Math.floor(vocabSize ** x));

/**
 * Where each of the new tokens is copied from: spans of 8 to 20 tokens. One token in twenty is the model's own: negative, the
 * complement of its id.
 */
function planOf(srcTime, newTokens, vocabSize) {
  const numbers = uniform(4 * newTokens, 5);
  let next = 0;
  const below = (limit) => Math.floor(numbers[next++] * limit);
  const plan = [];
  while (plan.length < newTokens) {
    const length = 8 + below(13);
    const from = below(srcTime - length);
    for (let i = 0; i < length; i++) plan.push(below(20) === 0 ? ~below(vocabSize) : from + i);
  }
  return plan.slice(0, newTokens);
}

const identityAt = ({ data, shape: [, cols] }, row, col, size, value) => {
  for (let i = 0; i < size; i++) data[(row + i) * cols + col + i] = value;
};

/** A problem of decoding (see rows/index.mjs) with the `expected` new ids. The vocabulary is split as the hidden states are. */
export function extractiveProblem(size, { srcTime, newTokens }) {
  const { dModel: d, numHeads, vocabSize } = size;
  const dHead = d / numHeads;
  const tokenWidth = d - dHead;
  const srcIds = wordsOf(srcTime, vocabSize, 4);
  const plan = planOf(srcTime, newTokens, vocabSize);
  const weights = idleLayers(transformerWeights(size), /\.layers\./);

  const embedding = weights['embedding.weight'];
  for (let id = 0; id < vocabSize; id++) embedding.data.fill(0, id * d + tokenWidth, (id + 1) * d);
  weights['projection.weight'] = embedding;
  weights['projection.bias'].data.fill(0);
  const codes = randomTensor([srcTime, dHead], 6).data.map(Math.sign);
  const encoder = { data: new Float32Array(srcTime * d), shape: [srcTime, d] };
  const decoder = { data: new Float32Array(srcTime * d), shape: [srcTime, d] };
  const codeOf = (place) => codes.subarray(place * dHead, (place + 1) * dHead);
  for (let time = 0; time < srcTime; time++) encoder.data.set(codeOf(time), time * d + tokenWidth);
  for (const [time, from] of plan.entries()) {
    if (from >= 0) decoder.data.set(codeOf(from), time * d + tokenWidth);
    else {
      const own = embedding.data.subarray(~from * d, (~from + 1) * d);
      decoder.data.set(
        own.map((x) => x * Math.sqrt(d) * ownGain),
        time * d,
      );
    }
  }
  weights['encoder.positions.weight'] = encoder;
  weights['decoder.positions.weight'] = decoder;

  const cross = 'decoder.layers.0.multihead_attn';
  for (const part of ['in_proj_weight', 'in_proj_bias', 'out_proj.weight', 'out_proj.bias'])
    weights[`${cross}.${part}`].data.fill(0);
  const projections = weights[`${cross}.in_proj_weight`];
  for (let head = 0; head < numHeads; head++) {
    identityAt(projections, head * dHead, tokenWidth, dHead, sharpness);
    identityAt(projections, d + head * dHead, tokenWidth, dHead, sharpness);
  }
  identityAt(projections, 2 * d, 0, d, 1);
  identityAt(weights[`${cross}.out_proj.weight`], 0, 0, tokenWidth, valueGain);

  return {
    config: { ...size, positions: 'learned', maxLength: srcTime },
    weights,
    srcIds,
    startId: 2,
    newTokens,
    expected: plan.map((from) => (from < 0 ? ~from : srcIds[from])),
  };
}
