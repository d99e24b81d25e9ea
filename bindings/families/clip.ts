/** CLIP (Radford et al. 2021): an encoder of texts and one of pictures, each with a projection to common vectors. */

import type { JsonObject } from '../files/json_object.js';
import { type Family, headOf } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import { copied } from './fused.js';
import { fieldsIn, patchesIn, planTowers, scope, tokensOf, towerNames, towerStack } from './two_towers.js';

const common: JsonObject = { hidden_act: 'quick_gelu', layer_norm_eps: 1e-5, projection_dim: 512 };

const textDefaults: JsonObject = {
  ...common,
  vocab_size: 49408,
  hidden_size: 512,
  intermediate_size: 2048,
  num_hidden_layers: 12,
  num_attention_heads: 8,
  max_position_embeddings: 77,
  pad_token_id: 1,
  bos_token_id: 49406,
  eos_token_id: 49407,
};

const pictureDefaults: JsonObject = {
  ...common,
  hidden_size: 768,
  intermediate_size: 3072,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  num_channels: 3,
  image_size: 224,
  patch_size: 32,
};

const table = {
  prefixes: [],
  names: {
    ...towerNames,
    text_projection: 'head.projection',
    // The library's own spelling.
    'vision_model.pre_layrnorm': `${scope}.encoder.embedding_norm`,
    'vision_model.post_layernorm': copied(`${scope}.pooler.norm`, `${scope}.head.norm`),
    visual_projection: `${scope}.head.projection`,
  },
};

/** All of the first models say 2, which is not the end token: theirs is the largest id. */
const endOfOld = 2;

export const clip: Family = {
  modelTypes: ['clip'],
  tokenizer: kinds.onlyJson,
  plan(config, shapes) {
    headOf(config, 'CLIP', []);
    const fields = fieldsIn(config, 'text_config', textDefaults);
    const ofPictures = fieldsIn(config, 'vision_config', pictureDefaults);
    const outFeatures = typeof config.projection_dim === 'number' ? config.projection_dim : 512;
    const projection = { name: 'projection', outFeatures, bias: false };
    const maxLength = fields.count('max_position_embeddings');
    const end = fields.id('eos_token_id') ?? endOfOld;
    const reads = { reads: 'first_is', id: end === endOfOld ? -1 : end } as const;
    const patches = patchesIn(ofPictures, [{ name: 'class', count: 1 }], false);
    const stack = towerStack(ofPictures, tokensOf(patches));
    const norm = { name: 'norm', norm: { eps: ofPictures.number('layer_norm_eps') } };
    return planTowers(shapes, {
      table,
      fields,
      text: {
        model: {
          encoder: { ...towerStack(fields, maxLength), vocab: fields.count('vocab_size') },
          pooler: reads,
          head: { ...reads, steps: [projection] },
        },
        maxPositions: maxLength,
        isCausal: true,
      },
      pictures: {
        model: {
          front: { patches },
          encoder: { ...stack, embeddingNorm: true, norm: false },
          pooler: { reads: 'first', steps: [norm] },
          head: { reads: 'first', steps: [norm, projection] },
        },
        maxPositions: tokensOf(patches),
        textLength: null,
      },
    });
  },
};
