/**
 * DINOv3's vision transformers (Simeoni et al. 2025): registers, and rotary positions of the patches' rows and columns.
 */

import type { JsonObject } from '../files/json_object.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { type NameTable, nameBefore, renamed } from '../plans/renaming.js';
import { preNorm, readSizes, stackOf, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { fail } from '../values/errors.js';
import { frontRows, patchLayer } from './patches.js';
import { positive } from './positive.js';

const layer = 'encoder.layers.#';

const table: NameTable = {
  prefixes: ['model.'],
  names: {
    'embeddings.cls_token': frontRows('class'),
    'embeddings.register_tokens': frontRows('registers'),
    'embeddings.patch_embeddings': patchLayer,
    'layer.#.norm1': `${layer}.self_attn_norm`,
    'layer.#.attention.q_proj': `${layer}.self_attn.q_proj`,
    'layer.#.attention.k_proj': `${layer}.self_attn.k_proj`,
    'layer.#.attention.v_proj': `${layer}.self_attn.v_proj`,
    'layer.#.attention.o_proj': `${layer}.self_attn.out_proj`,
    'layer.#.layer_scale1.lambda1': `${layer}.self_attn_scale.weight`,
    'layer.#.norm2': `${layer}.feed_forward_norm`,
    'layer.#.mlp.up_proj': `${layer}.feed_forward.fc1`,
    'layer.#.mlp.down_proj': `${layer}.feed_forward.fc2`,
    'layer.#.layer_scale2.lambda1': `${layer}.feed_forward_scale.weight`,
    norm: 'encoder.norm',
  },
};

/** With a gate, the activation is the gate's. */
const gatedTable: NameTable = {
  ...table,
  names: {
    ...table.names,
    'layer.#.mlp.gate_proj': `${layer}.feed_forward.fc1`,
    'layer.#.mlp.up_proj': `${layer}.feed_forward.gate`,
  },
};

const biased: JsonObject = { query_bias: true, key_bias: false, value_bias: true, proj_bias: true };

export const dinov3Vit: Family = {
  modelTypes: ['dinov3_vit'],
  tokenizer: kinds.onlyJson,
  defaults: {
    hidden_size: 384,
    intermediate_size: 1536,
    num_hidden_layers: 12,
    num_attention_heads: 6,
    hidden_act: 'gelu',
    layer_norm_eps: 1e-5,
    image_size: 224,
    patch_size: 16,
    num_channels: 3,
    rope_theta: 100,
    ...biased,
    mlp_bias: true,
    use_gated_mlp: false,
    num_register_tokens: 0,
  },
  plan(config, shapes) {
    headOf(config, 'DINOv3ViT', []);
    const fields = fieldsOf(config);
    fields.only('apply_layernorm', true);
    const sizes = readSizes(fields);
    const { dModel, numHeads } = sizes;
    const dHead = dModel / numHeads;
    if (!Number.isInteger(dHead / 4))
      fail('bad_checkpoint', `config.json: heads of ${dHead} numbers cannot be rotated by row and column`);
    const base = positive(fields, 'rope_theta');
    const registers = fields.count('num_register_tokens', undefined, 0);
    const frequencies = Array.from(
      { length: dHead / 4 },
      (_, pair) => (2 * Math.PI) / base ** ((4 * pair) / dHead),
    );
    const letters = { query_bias: 'q', key_bias: 'k', value_bias: 'v', proj_bias: 'o' };
    const unbiased = Object.entries(letters).flatMap(([name, letter]) => (fields.flag(name) ? [] : [letter]));
    const isGated = fields.flag('use_gated_mlp');
    const names = isGated ? gatedTable : table;
    const size = fields.count('image_size');
    return {
      model: {
        front: {
          patches: {
            channels: fields.count('num_channels'),
            height: size,
            width: size,
            patch: fields.count('patch_size'),
            prefix: [
              { name: 'class', count: 1 },
              ...(registers > 0 ? [{ name: 'registers', count: registers }] : []),
            ],
            sizes: 'any',
          },
        },
        encoder: {
          ...withLayer(preNorm(stackOf(sizes)), {
            layerScale: true,
            attention: { unbiased: unbiased.join('') },
            feedForward: { gated: isGated, bias: fields.flag('mlp_bias') },
          }),
          positions: { rotary: { maxLength: 2 ** 24, frequencies, axial: true, prefix: 1 + registers } },
        },
        pooler: { reads: 'first' },
      },
      slices: renamed(shapes, names),
      tokens: { pad: null, unk: null, decoderStart: null },
      maxPositions: null,
      statesBeforeNorm: 'encoder',
      storedName: (name) => nameBefore(name, names),
    };
  },
};
