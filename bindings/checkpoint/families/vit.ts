/** ViT (Dosovitskiy et al. 2021): an image as a class vector followed by a sequence of patches. */

import { fail } from '../../engine/errors.js';
import type { Fields } from '../json/fields.js';
import { onlyJson } from '../tokenizers/kinds.js';
import { readActivation } from './activations.js';
import { poolerOf } from './bert.js';
import { countLabels, tokenClassifier } from './bert_like.js';
import { type Family, fieldsOf, headOf } from './family.js';
import { type NameTable, nameBefore, renamed, reshaped } from './renaming.js';
import { preNorm, type StackSizes, stackOf } from './stack.js';

const joined = ([first = 0, ...rest]: readonly number[]) => [
  first,
  rest.reduce((all, size) => all * size, 1),
];

const table: NameTable = {
  prefixes: ['vit.'],
  names: {
    'embeddings.cls_token': reshaped('front.class.weight', (shape) => [shape.at(-1) ?? 0, 1]),
    'embeddings.patch_embeddings.projection': ({ name, shape, part }) => [
      {
        name: `front.patches.${part}`,
        from: name,
        firstRow: 0,
        rows: null,
        shape: part === 'weight' ? joined(shape) : shape,
      },
    ],
    'embeddings.position_embeddings': reshaped('encoder.positions.weight', (shape) => shape.slice(-2)),
    'encoder.layer.#.layernorm_before': 'encoder.layers.#.self_attn_norm',
    'encoder.layer.#.attention.attention.query': 'encoder.layers.#.self_attn.q_proj',
    'encoder.layer.#.attention.attention.key': 'encoder.layers.#.self_attn.k_proj',
    'encoder.layer.#.attention.attention.value': 'encoder.layers.#.self_attn.v_proj',
    'encoder.layer.#.attention.output.dense': 'encoder.layers.#.self_attn.out_proj',
    'encoder.layer.#.layernorm_after': 'encoder.layers.#.feed_forward_norm',
    'encoder.layer.#.intermediate.dense': 'encoder.layers.#.feed_forward.fc1',
    'encoder.layer.#.output.dense': 'encoder.layers.#.feed_forward.fc2',
    layernorm: 'encoder.norm',
    'pooler.dense': 'pooler.dense',
    classifier: 'head.classifier',
  },
};

/** One number for both sides, or [height, width]. */
function readSides(fields: Fields, name: string): [height: number, width: number] {
  const given = fields.raw(name);
  if (!Array.isArray(given)) return [fields.count(name), fields.count(name)];
  const [height, width] = given;
  const areSizes = [height, width].every((size) => Number.isSafeInteger(size) && size > 0);
  return areSizes ? [height, width] : fail('bad_checkpoint', `config.json: ${name} must be one or two sizes`);
}

export const vit: Family = {
  modelTypes: ['vit'],
  tokenizer: onlyJson,
  defaults: {
    hidden_size: 768,
    num_hidden_layers: 12,
    num_attention_heads: 12,
    intermediate_size: 3072,
    hidden_act: 'gelu',
    layer_norm_eps: 1e-12,
    image_size: 224,
    patch_size: 16,
    num_channels: 3,
  },
  plan(config, shapes) {
    const head = headOf(config, 'ViT', ['ForImageClassification']);
    const fields = fieldsOf(config);
    fields.only('qkv_bias', true);
    const [height, width] = readSides(fields, 'image_size');
    const [patch, patchWidth] = readSides(fields, 'patch_size');
    if (patch !== patchWidth)
      fail('unsupported', 'config.json: patches that are not square are not supported');
    const sizes: StackSizes = {
      dModel: fields.count('hidden_size'),
      numHeads: fields.count('num_attention_heads'),
      dFf: fields.count('intermediate_size'),
      numLayers: fields.count('num_hidden_layers'),
      activation: readActivation(fields, 'hidden_act'),
      eps: fields.number('layer_norm_eps'),
    };
    const classifier = { head: { ...tokenClassifier(countLabels(fields)), firstOnly: true } };
    const top = head === 'Model' ? poolerOf(shapes, sizes) : classifier;
    const maxLength = Math.floor(height / patch) * Math.floor(width / patch) + 1;
    return {
      model: {
        encoder: preNorm({ ...stackOf(sizes), positions: { learned: { maxLength } } }),
        ...top,
      },
      slices: renamed(shapes, table).filter(
        ({ name }) => !name.startsWith(head === 'Model' ? 'head.' : 'pooler.'),
      ),
      tokens: { pad: null, unk: null, decoderStart: null },
      maxPositions: maxLength,
      frontEnd: {
        input: 'pixelValues',
        channels: fields.count('num_channels'),
        height,
        width,
        patch,
        dModel: sizes.dModel,
      },
      statesBeforeNorm: true,
      storedName: (name) => nameBefore(name, table),
    };
  },
};
