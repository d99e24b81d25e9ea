/**
 * SigLIP (Zhai et al. 2023) and SigLIP 2 (Tschannen et al. 2025), with pictures of one size or of any: the vector of a
 * picture is what a learned query attends to, that of a text the last state, and each pair of them has a probability of
 * its own.
 */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import { type Family, headOf, type TransformerPlan } from '../plans/family.js';
import type { PatchesConfig } from '../plans/front_end_config.js';
import type { NameTable } from '../plans/renaming.js';
import { readSizes } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { fail } from '../values/errors.js';
import type { Shapes } from '../weights/slices.js';
import { stacked } from './fused.js';
import { frontRows } from './patches.js';
import { fieldsIn, patchesIn, planTowers, scope, tokensOf, towerNames, towerStack } from './two_towers.js';

const common: JsonObject = {
  hidden_size: 768,
  intermediate_size: 3072,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  hidden_act: 'gelu_pytorch_tanh',
  layer_norm_eps: 1e-6,
};

const textDefaults: JsonObject = {
  ...common,
  vocab_size: 32000,
  max_position_embeddings: 64,
  pad_token_id: 1,
  bos_token_id: 49406,
  eos_token_id: 49407,
};

const pictureDefaults: JsonObject = {
  ...common,
  num_channels: 3,
  image_size: 224,
  patch_size: 16,
  num_patches: 256,
};

const pool = `${scope}.pool`;

const projections = (part: 'weight' | 'bias') =>
  stacked(
    Object.fromEntries(['q_proj', 'k_proj', 'v_proj'].map((one) => [`${pool}.attention.${one}.${part}`, 1])),
  );

const names: NameTable['names'] = {
  ...towerNames,
  'text_model.head': 'head.projection',
  'vision_model.post_layernorm': `${scope}.encoder.norm`,
  'vision_model.head.probe': ({ name, shape }) => [
    { name: `${pool}.probe`, from: name, firstRow: 0, rows: null, shape: shape.slice(-1) },
  ],
  'vision_model.head.attention.in_proj_weight': projections('weight'),
  'vision_model.head.attention.in_proj_bias': projections('bias'),
  'vision_model.head.attention.out_proj': `${pool}.attention.out_proj`,
  'vision_model.head.layernorm': `${pool}.norm`,
  'vision_model.head.mlp.fc1': `${pool}.feed_forward.fc1`,
  'vision_model.head.mlp.fc2': `${pool}.feed_forward.fc2`,
};

/** Patches of pictures of any shape, for which the square grid of positions is resized. */
function anyPatches(fields: Fields): PatchesConfig {
  const side = Math.sqrt(fields.count('num_patches'));
  if (!Number.isInteger(side))
    fail('bad_checkpoint', 'config.json: vision_config: num_patches must be a square number');
  const patch = fields.count('patch_size');
  return {
    ...patchesIn(fields, [], true),
    height: side * patch,
    width: side * patch,
    positions: { rows: side, columns: side, ofPrefix: 0, antialias: true },
    sizes: 'patches',
  };
}

function planSiglip(config: JsonObject, shapes: Shapes, type: 'Siglip' | 'Siglip2'): TransformerPlan {
  headOf(config, type, []);
  const isAny = type === 'Siglip2';
  const fields = fieldsIn(config, 'text_config', textDefaults);
  const ofPictures = fieldsIn(config, 'vision_config', pictureDefaults);
  const outFeatures = fields.count('projection_size', fields.count('hidden_size'));
  const maxLength = fields.count('max_position_embeddings');
  const reads = { reads: 'last_is_not', id: -1 } as const;
  const head = { ...reads, steps: [{ name: 'projection', outFeatures }] };
  const patches = isAny ? anyPatches(ofPictures) : patchesIn(ofPictures, [], true);
  const stack = towerStack(ofPictures, tokensOf(patches));
  const { numHeads, dFf, activation, eps = 1e-6 } = readSizes(ofPictures);
  const positions = frontRows('positions', `${scope}.front`);
  return planTowers(shapes, {
    table: {
      prefixes: [],
      names: { ...names, ...(isAny && { 'vision_model.embeddings.position_embedding': positions }) },
    },
    fields,
    text: {
      model: {
        encoder: { ...towerStack(fields, maxLength), vocab: fields.count('vocab_size') },
        head,
      },
      maxPositions: maxLength,
    },
    pictures: {
      model: {
        front: { patches },
        encoder: isAny ? { ...stack, positions: { none: {} } } : stack,
        pool: { numHeads, dFf, activation, norm: { eps } },
        pooler: { reads: 'pool' },
        head: { reads: 'pool' },
        contrast: { bias: true },
      },
      maxPositions: isAny ? null : tokensOf(patches),
      textLength: maxLength,
    },
  });
}

export const siglip: Family = {
  modelTypes: ['siglip'],
  tokenizer: kinds.onlyJson,
  plan: (config, shapes) => planSiglip(config, shapes, 'Siglip'),
};

export const siglip2: Family = {
  modelTypes: ['siglip2'],
  tokenizer: kinds.onlyJson,
  plan: (config, shapes) => planSiglip(config, shapes, 'Siglip2'),
};
