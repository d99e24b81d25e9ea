/** ViT (Dosovitskiy et al. 2021): an image as a class vector followed by a sequence of patches. */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { TransformerConfig } from '../modules/embind.js';
import { type Family, fieldsOf, headOf, type TransformerPlan } from '../plans/family.js';
import { asTable, type NameTable, nameBefore, renamed, reshaped } from '../plans/renaming.js';
import { preNorm, readSizes, stackOf, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { fail } from '../values/errors.js';
import type { Shapes } from '../weights/slices.js';
import { poolerOf } from './bert.js';
import { countLabels, tokenClassifier } from './bert_like.js';
import { frontRows, patchLayer } from './patches.js';

const names: NameTable['names'] = {
  'embeddings.cls_token': frontRows('class'),
  'embeddings.distillation_token': frontRows('distillation'),
  'embeddings.patch_embeddings.projection': patchLayer,
  'embeddings.position_embeddings': asTable(reshaped('encoder.positions.weight', (shape) => shape.slice(-2))),
  'encoder.layer.#.layernorm_before': 'encoder.layers.#.self_attn_norm',
  'encoder.layer.#.attention.attention.query': 'encoder.layers.#.self_attn.q_proj',
  'encoder.layer.#.attention.attention.key': 'encoder.layers.#.self_attn.k_proj',
  'encoder.layer.#.attention.attention.value': 'encoder.layers.#.self_attn.v_proj',
  'encoder.layer.#.attention.output.dense': 'encoder.layers.#.self_attn.out_proj',
  'encoder.layer.#.layernorm_after': 'encoder.layers.#.feed_forward_norm',
  'encoder.layer.#.intermediate.dense': 'encoder.layers.#.feed_forward.fc1',
  'encoder.layer.#.output.dense': 'encoder.layers.#.feed_forward.fc2',
  layernorm: 'encoder.norm',
};

/** One number for both sides, or [height, width]. */
function readSides(fields: Fields, name: string): [height: number, width: number] {
  const given = fields.raw(name);
  if (!Array.isArray(given)) return [fields.count(name), fields.count(name)];
  const [height, width] = given;
  const areSizes = [height, width].every((size) => Number.isSafeInteger(size) && size > 0);
  return areSizes ? [height, width] : fail('bad_checkpoint', `config.json: ${name} must be one or two sizes`);
}

/** Defaults of the config classes of ViT and DeiT. */
export const vitDefaults: JsonObject = {
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  intermediate_size: 3072,
  hidden_act: 'gelu',
  layer_norm_eps: 1e-12,
  image_size: 224,
  patch_size: 16,
  num_channels: 3,
  qkv_bias: true,
};

const class_ = { name: 'class', count: 1 };

type OutputHead = 'ForImageClassification' | 'ForImageClassificationWithTeacher' | 'Model';

const headNames: Readonly<Record<OutputHead, NameTable['names']>> = {
  Model: { 'pooler.dense': 'pooler.dense' },
  ForImageClassification: { classifier: 'head.classifier' },
  ForImageClassificationWithTeacher: {
    cls_classifier: 'pooler.classifier',
    distillation_classifier: 'head.classifier',
  },
};

/** What is on top of the states. */
function topOf(head: OutputHead, labels: number): Partial<TransformerConfig> {
  const classifier = tokenClassifier(labels);
  if (head === 'ForImageClassification') return { head: { ...classifier, reads: 'first' } };
  // A classifier for each of the first two states: the pooler reads the first; of the head, the second row counts.
  return { pooler: { ...classifier, reads: 'first' }, head: classifier };
}

/** @param type ViT, or DeiT, which has a second vector, the distillation token, before the patches */
export function planVit(config: JsonObject, shapes: Shapes, type: 'ViT' | 'DeiT'): TransformerPlan {
  const classifiers = ['ForImageClassification', 'ForImageClassificationWithTeacher'] as const;
  const head = headOf(config, type, type === 'DeiT' ? classifiers : classifiers.slice(0, 1));
  const table = { prefixes: [`${type.toLowerCase()}.`], names: { ...names, ...headNames[head] } };
  const fields = fieldsOf(config);
  const [height, width] = readSides(fields, 'image_size');
  const [patch, patchWidth] = readSides(fields, 'patch_size');
  if (patch !== patchWidth) fail('unsupported', 'config.json: patches that are not square are not supported');
  const sizes = readSizes(fields);
  const isDistilled = type === 'DeiT';
  const top = head === 'Model' ? poolerOf(shapes, sizes) : topOf(head, countLabels(fields));
  const maxLength = Math.floor(height / patch) * Math.floor(width / patch) + (isDistilled ? 2 : 1);
  const stack = preNorm({ ...stackOf(sizes), positions: { learned: { maxLength } } });
  const isBiased = fields.flag('qkv_bias');
  return {
    model: {
      front: {
        patches: {
          channels: fields.count('num_channels'),
          height,
          width,
          patch,
          prefix: isDistilled ? [class_, { name: 'distillation', count: 1 }] : [class_],
        },
      },
      encoder: isBiased ? stack : withLayer(stack, { attention: { unbiased: 'qkv' } }),
      ...top,
    },
    slices: renamed(shapes, table),
    tokens: { pad: null, unk: null, decoderStart: null },
    maxPositions: maxLength,
    statesBeforeNorm: 'encoder',
    ...(head === 'ForImageClassificationWithTeacher' && { logits: 'twoClassifiers' }),
    storedName: (name) => nameBefore(name, table),
  };
}

export const vit: Family = {
  modelTypes: ['vit'],
  tokenizer: kinds.onlyJson,
  defaults: vitDefaults,
  plan: (config, shapes) => planVit(config, shapes, 'ViT'),
};
