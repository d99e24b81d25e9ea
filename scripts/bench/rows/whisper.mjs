// Whisper on a window of 30 seconds, at the sizes of its two smallest published models, with random weights.

import { randomNumbers, randomTensor } from '../weights.mjs';
import { decodingFlops, transformerFlops } from './transformer.mjs';

const tiny = { dModel: 384, numHeads: 6, dFf: 1536, numEncoderLayers: 4, numDecoderLayers: 4 };
const base = { dModel: 512, numHeads: 8, dFf: 2048, numEncoderLayers: 6, numDecoderLayers: 6 };
const common = { bands: 80, frames: 3000, vocabSize: 51865, maxLength: 448 };
const startId = 50258;
const newTokens = 64;

/** Weights under the names of Hugging Face. */
function whisperWeights({ dModel: d, dFf, bands, frames, vocabSize, maxLength, ...config }) {
  const weights = {};
  let seed = 1;
  const add = (name, shape, bound, around = 0) => {
    const { data } = randomTensor(shape, seed++, bound);
    weights[`model.${name}`] = { data: around ? data.map((x) => x + around) : data, shape };
  };
  const linear = (name, out, into, hasBias = true) => {
    add(`${name}.weight`, [out, into], Math.sqrt(6 / (out + into)));
    if (hasBias) add(`${name}.bias`, [out], 0.1);
  };
  const norm = (name) => {
    add(`${name}.weight`, [d], 0.1, 1);
    add(`${name}.bias`, [d], 0.1);
  };
  const attention = (name) => {
    for (const part of ['q_proj', 'k_proj', 'v_proj', 'out_proj'])
      linear(`${name}.${part}`, d, d, part !== 'k_proj');
    norm(`${name}_layer_norm`);
  };
  const stack = (name, layers, attentions, length) => {
    add(`${name}.embed_positions.weight`, [length, d], 1);
    for (let i = 0; i < layers; i++) {
      const layer = `${name}.layers.${i}`;
      for (const part of attentions) attention(`${layer}.${part}`);
      linear(`${layer}.fc1`, dFf, d);
      linear(`${layer}.fc2`, d, dFf);
      norm(`${layer}.final_layer_norm`);
    }
    norm(`${name}.layer_norm`);
  };
  for (const [name, into] of Object.entries({ conv1: bands, conv2: d })) {
    add(`encoder.${name}.weight`, [d, into, 3], Math.sqrt(6 / (3 * into + d)));
    add(`encoder.${name}.bias`, [d], 0.1);
  }
  stack('encoder', config.numEncoderLayers, ['self_attn'], frames / 2);
  stack('decoder', config.numDecoderLayers, ['self_attn', 'encoder_attn'], maxLength);
  add('decoder.embed_tokens.weight', [vocabSize, d], Math.sqrt(3 / d));
  return weights;
}

function rowsOf(name, size) {
  const config = { ...size, ...common };
  const { dModel: d, bands, frames } = config;
  const srcTime = frames / 2;
  const front = 2 * 3 * d * (frames * bands + srcTime * d);
  const problem = () => ({
    config,
    weights: whisperWeights(config),
    features: { data: randomNumbers(bands * frames, 1, 4), shape: [1, bands, frames] },
    startId,
    newTokens,
  });
  return [
    {
      name: `${name} encoder, 30 s`,
      kind: 'whisperEncoder',
      flops: front + transformerFlops({ ...size, numDecoderLayers: 0 }, { srcTime }),
      problem,
    },
    {
      name: `${name}, ${newTokens} tokens after 30 s`,
      kind: 'whisper',
      flops: front + decodingFlops(config, { srcTime, newTokens }),
      problem,
    },
  ];
}

export const whisperRows = [...rowsOf('whisper-tiny', tiny), ...rowsOf('whisper-base', base)];
