/**
 * DINOv2 (Oquab et al. 2023), and with registers (Darcet et al. 2023): pictures of any size, and a scale after each
 * block.
 */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { TransformerConfig } from '../modules/embind.js';
import { readActivation } from '../plans/activations.js';
import { type Family, fieldsOf, headOf, type TransformerPlan } from '../plans/family.js';
import type { PatchesConfig } from '../plans/front_end_config.js';
import { type NameTable, nameBefore, renamed } from '../plans/renaming.js';
import { preNorm, type StackSizes, stackOf, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import type { Shapes } from '../weights/slices.js';
import { countLabels } from './bert_like.js';
import { stacked } from './fused.js';
import { frontRows, patchLayer } from './patches.js';

const layer = 'encoder.layers.#';

const names: NameTable['names'] = {
  'embeddings.cls_token': frontRows('class'),
  'embeddings.register_tokens': frontRows('registers'),
  'embeddings.position_embeddings': frontRows('positions'),
  'embeddings.patch_embeddings.projection': patchLayer,
  'encoder.layer.#.norm1': `${layer}.self_attn_norm`,
  'encoder.layer.#.attention.attention.query': `${layer}.self_attn.q_proj`,
  'encoder.layer.#.attention.attention.key': `${layer}.self_attn.k_proj`,
  'encoder.layer.#.attention.attention.value': `${layer}.self_attn.v_proj`,
  'encoder.layer.#.attention.output.dense': `${layer}.self_attn.out_proj`,
  'encoder.layer.#.layer_scale1.lambda1': `${layer}.self_attn_scale.weight`,
  'encoder.layer.#.norm2': `${layer}.feed_forward_norm`,
  'encoder.layer.#.mlp.fc1': `${layer}.feed_forward.fc1`,
  'encoder.layer.#.mlp.fc2': `${layer}.feed_forward.fc2`,
  'encoder.layer.#.mlp.weights_in': stacked({
    [`${layer}.feed_forward.fc1`]: 1,
    [`${layer}.feed_forward.gate`]: 1,
  }),
  'encoder.layer.#.mlp.weights_out': `${layer}.feed_forward.fc2`,
  'encoder.layer.#.layer_scale2.lambda1': `${layer}.feed_forward_scale.weight`,
  layernorm: 'encoder.norm',
  classifier: 'head.classifier',
};

const defaults: JsonObject = {
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  mlp_ratio: 4,
  hidden_act: 'gelu',
  layer_norm_eps: 1e-6,
  image_size: 224,
  patch_size: 14,
  num_channels: 3,
  qkv_bias: true,
  use_swiglu_ffn: false,
};

/** The narrower layer of the gated kind has two thirds of the width, in multiples of 8. */
function sizesIn(fields: Fields): StackSizes {
  const dModel = fields.count('hidden_size');
  const wide = Math.trunc(dModel * fields.number('mlp_ratio'));
  const isGated = fields.flag('use_swiglu_ffn');
  return {
    dModel,
    numHeads: fields.count('num_attention_heads'),
    numLayers: fields.count('num_hidden_layers'),
    dFf: isGated ? Math.floor((Math.trunc((wide * 2) / 3) + 7) / 8) * 8 : wide,
    activation: isGated ? 'silu' : readActivation(fields, 'hidden_act'),
    eps: fields.number('layer_norm_eps'),
  };
}

/** The class token is the vector of a picture; classifiers read the mean of the patches, too. */
function picturesHead(isClassifier: boolean, fields: Fields, prefix: number): Partial<TransformerConfig> {
  if (!isClassifier) return { pooler: { reads: 'first' } };
  const steps = [{ name: 'classifier', outFeatures: countLabels(fields) }];
  return { head: { reads: 'first_and_mean', prefix, steps } };
}

/** @param registers vectors after the class token, without positions */
function planDino(
  config: JsonObject,
  shapes: Shapes,
  { type, registers }: { type: string; registers: number },
): TransformerPlan {
  const head = headOf(config, type, ['ForImageClassification']);
  const fields = fieldsOf(config);
  fields.only('apply_layernorm', true);
  const sizes = sizesIn(fields);
  const patch = fields.count('patch_size');
  const size = fields.count('image_size');
  const side = Math.floor(size / patch);
  const table = { prefixes: [`${type.toLowerCase()}.`, 'dinov2_with_registers.'], names };
  const prefix: PatchesConfig['prefix'] = [
    { name: 'class', count: 1 },
    ...(registers > 0 ? [{ name: 'registers', count: registers }] : []),
  ];
  const kernel = registers > 0 ? { cubic: -0.5, antialias: true } : { cubic: -0.75, antialias: false };
  return {
    model: {
      front: {
        patches: {
          channels: fields.count('num_channels'),
          height: size,
          width: size,
          patch,
          prefix,
          positions: { rows: side, columns: side, ofPrefix: 1, ...kernel },
          sizes: 'any',
        },
      },
      encoder: withLayer(preNorm(stackOf(sizes)), {
        layerScale: true,
        attention: fields.flag('qkv_bias') ? {} : { unbiased: 'qkv' },
        feedForward: { gated: fields.flag('use_swiglu_ffn') },
      }),
      ...picturesHead(head !== 'Model', fields, 1 + registers),
    },
    slices: renamed(shapes, table),
    tokens: { pad: null, unk: null, decoderStart: null },
    maxPositions: null,
    statesBeforeNorm: 'encoder',
    storedName: (name) => nameBefore(name, table),
  };
}

export const dinov2: Family = {
  modelTypes: ['dinov2'],
  tokenizer: kinds.onlyJson,
  defaults,
  plan: (config, shapes) => planDino(config, shapes, { type: 'Dinov2', registers: 0 }),
};

export const dinov2WithRegisters: Family = {
  modelTypes: ['dinov2_with_registers'],
  tokenizer: kinds.onlyJson,
  defaults: { ...defaults, num_register_tokens: 4 },
  plan: (config, shapes) =>
    planDino(config, shapes, {
      type: 'Dinov2WithRegisters',
      registers: fieldsOf(config).count('num_register_tokens', undefined, 0),
    }),
};
