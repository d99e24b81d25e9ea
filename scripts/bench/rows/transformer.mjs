// Whole stacks of layers over embeddings, in a single pass.

import { base, miniLm, randomTensor, small, textbook, transformerWeights, vitBase } from '../weights.mjs';

/** Multiply-adds of one layer's linear maps and attention, for `time` queries and `keys` keys. */
const attentionWork = (d, time, keys) => 2 * time * d * d + 2 * keys * d * d + 2 * time * keys * d;
const feedForwardWork = (d, dFf, time) => 2 * time * d * dFf;

/** Multiply-adds of both stacks; without `tgtTime` there is only an encoder, without encoder layers only a decoder. */
export function transformerFlops(config, { batch = 1, srcTime, tgtTime }) {
  const { dModel: d, dFf, numEncoderLayers, numDecoderLayers } = config;
  const encoder = numEncoderLayers * (attentionWork(d, srcTime, srcTime) + feedForwardWork(d, dFf, srcTime));
  if (!tgtTime) return 2 * batch * encoder;
  const cross = numEncoderLayers > 0 ? attentionWork(d, tgtTime, srcTime) : 0;
  const decoder =
    numDecoderLayers * (attentionWork(d, tgtTime, tgtTime) + cross + feedForwardWork(d, dFf, tgtTime));
  return 2 * batch * (encoder + decoder);
}

/** The same of generating tokens, with the projection to the vocabulary. */
export const decodingFlops = (size, { srcTime, newTokens }) =>
  transformerFlops(size, { srcTime, tgtTime: newTokens }) + 2 * newTokens * size.dModel * size.vocabSize;

function transformer(name, size, { batch = 1, srcTime, tgtTime }) {
  const config = tgtTime ? size : { ...size, numDecoderLayers: 0 };
  return {
    name,
    kind: 'transformer',
    flops: transformerFlops(config, { batch, srcTime, tgtTime }),
    problem: () => ({
      config,
      weights: transformerWeights(config),
      src: randomTensor([batch, srcTime, config.dModel], 2),
      ...(tgtTime && { tgt: randomTensor([batch, tgtTime, config.dModel], 3) }),
    }),
  };
}

const encoders = (name, size) => [
  ...[16, 32, 64, 128, 512].map((time) =>
    transformer(`${name} encoder, ${time} tokens`, size, { srcTime: time }),
  ),
  transformer(`${name} encoder, 8 x 64 tokens`, size, { batch: 8, srcTime: 64 }),
];

export const transformerRows = [
  ...encoders('base', base),
  ...encoders('small', small),
  transformer("encoder of MiniLM's shape, 20 tokens", miniLm, { srcTime: 20 }),
  transformer("encoder of ViT-base's shape, 197 tokens", vitBase, { srcTime: 197 }),
  transformer('base encoder + decoder, 64 + 64 tokens', base, { srcTime: 64, tgtTime: 64 }),
  transformer('textbook demo, 2 x 10 tokens', textbook, { batch: 2, srcTime: 10, tgtTime: 10 }),
];
