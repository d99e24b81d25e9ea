/**
 * Moonshine (Jeffries et al. 2024): sound as it is through three convolutions, then an encoder and a decoder with
 * rotary positions.
 */

import type { Fields } from '../files/fields.js';
import { readActivation } from '../plans/activations.js';
import { type Family, fieldsOf, headOf, readTokens } from '../plans/family.js';
import type { FramesConfig } from '../plans/front_end_config.js';
import { maxLengthOf } from '../plans/positions.js';
import { asEmbedding, type NameTable, nameBefore, renamed, type Target, tied } from '../plans/renaming.js';
import { preNorm, type Stack, type StackName, stackOf, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { convolution } from './convolution.js';
import { stacked } from './fused.js';
import { partlyRotated } from './rope.js';

function namesIn(stack: StackName, parts: Readonly<Record<string, Target>>): Record<string, Target> {
  const attentions = { self_attn: 'self_attn', encoder_attn: 'cross_attn' };
  const projections = { q_proj: 'q_proj', k_proj: 'k_proj', v_proj: 'v_proj', o_proj: 'out_proj' };
  const layer = `${stack}.layers.#`;
  const inAttention = Object.entries(attentions).flatMap(([stored, ours]) =>
    Object.entries(projections).map(([from, to]) => [`${layer}.${stored}.${from}`, `${layer}.${ours}.${to}`]),
  );
  return {
    ...Object.fromEntries(inAttention),
    [`${layer}.input_layernorm`]: `${layer}.self_attn_norm`,
    [`${layer}.mlp.fc1`]: `${layer}.feed_forward.fc1`,
    [`${layer}.mlp.fc2`]: `${layer}.feed_forward.fc2`,
    ...Object.fromEntries(Object.entries(parts).map(([name, target]) => [`${layer}.${name}`, target])),
  };
}

const inDecoder = 'decoder.layers.#';

const table: NameTable = {
  prefixes: ['model.'],
  names: {
    'encoder.conv1': convolution('front.conv1'),
    'encoder.groupnorm': 'front.norm',
    'encoder.conv2': convolution('front.conv2'),
    'encoder.conv3': convolution('front.conv3'),
    ...namesIn('encoder', { post_attention_layernorm: 'encoder.layers.#.feed_forward_norm' }),
    'encoder.layer_norm': 'encoder.norm',
    'decoder.embed_tokens': asEmbedding('decoder.embedding'),
    ...namesIn('decoder', {
      post_attention_layernorm: `${inDecoder}.cross_attn_norm`,
      final_layernorm: `${inDecoder}.feed_forward_norm`,
      // What is gated, then the gate.
      'mlp.fc1': stacked({ [`${inDecoder}.feed_forward.gate`]: 1, [`${inDecoder}.feed_forward.fc1`]: 1 }),
    }),
    'decoder.norm': 'decoder.norm',
    proj_out: 'projection',
  },
};

/** 64 * 3 * 2 samples make a frame, so that there are 41.7 in a second. */
const convolutionsOf = (dModel: number): FramesConfig['convolutions'] => [
  {
    name: 'conv1',
    outWidth: dModel,
    window: 127,
    stride: 64,
    bias: false,
    activation: 'tanh',
    norm: true,
  },
  { name: 'conv2', outWidth: 2 * dModel, window: 7, stride: 3, activation: 'gelu' },
  { name: 'conv3', outWidth: dModel, window: 3, stride: 2, activation: 'gelu' },
];

/** Of sound: an hour has 150,000 frames, and no position is stored. */
const longest = 2 ** 24;

function stackIn(fields: Fields, name: StackName): Stack {
  const dModel = fields.count('hidden_size');
  const numHeads = fields.count(`${name}_num_attention_heads`);
  const numKvHeads = fields.count(`${name}_num_key_value_heads`, numHeads);
  const stack = stackOf({
    dModel,
    numHeads,
    numLayers: fields.count(`${name}_num_hidden_layers`),
    dFf: fields.count('intermediate_size'),
    activation: readActivation(fields, `${name}_hidden_act`),
  });
  const { rotary } = partlyRotated(fields, Math.floor(dModel / numHeads));
  const maxLength = name === 'encoder' ? longest : rotary.maxLength;
  return {
    ...withLayer(preNorm(stack), {
      attention: { numKvHeads, bias: fields.flag('attention_bias') },
      feedForward: { gated: name === 'decoder' },
      norm: { bias: false },
    }),
    positions: { rotary: { ...rotary, layout: 'interleaved', maxLength } },
  };
}

export const moonshine: Family = {
  modelTypes: ['moonshine'],
  tokenizer: kinds.onlyJson,
  defaults: {
    vocab_size: 32768,
    hidden_size: 288,
    intermediate_size: 1152,
    encoder_num_hidden_layers: 6,
    decoder_num_hidden_layers: 6,
    encoder_num_attention_heads: 8,
    decoder_num_attention_heads: 8,
    encoder_hidden_act: 'gelu',
    decoder_hidden_act: 'silu',
    max_position_embeddings: 512,
    partial_rotary_factor: 0.9,
    rope_theta: 10000,
    attention_bias: false,
    bos_token_id: 1,
    eos_token_id: 2,
    decoder_start_token_id: 1,
    tie_word_embeddings: true,
  },
  plan(config, shapes) {
    headOf(config, 'Moonshine', ['ForConditionalGeneration']);
    const fields = fieldsOf(config);
    const dModel = fields.count('hidden_size');
    const isTied = fields.flag('tie_word_embeddings');
    const vocab = fields.count('vocab_size');
    const decoder = stackIn(fields, 'decoder');
    return {
      model: {
        front: { frames: { bands: 0, frames: 0, convolutions: convolutionsOf(dModel) } },
        encoder: stackIn(fields, 'encoder'),
        decoder: { ...decoder, vocab },
        projection: { vocab, tied: isTied },
      },
      slices: tied(renamed(shapes, table), isTied && 'decoder.embedding.weight'),
      tokens: readTokens(fields),
      maxPositions: maxLengthOf(decoder.positions),
      storedName: (name) => nameBefore(name, table),
    };
  },
};
