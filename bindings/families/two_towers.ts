/** What models of texts and pictures share: two encoders of the same layers, under one set of names. */

import { Fields } from '../files/fields.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { readTokens, type TowerPlan, type TransformerPlan } from '../plans/family.js';
import type { PatchesConfig } from '../plans/front_end_config.js';
import { asEmbedding, asTable, type NameTable, nameBefore, renamed, type Target } from '../plans/renaming.js';
import { preNorm, readSizes, type Stack, stackOf } from '../plans/stack.js';
import { fail } from '../values/errors.js';
import type { Shapes } from '../weights/slices.js';
import { frontRows, patchLayerOf } from './patches.js';

const inLayer: Readonly<Record<string, string>> = {
  layer_norm1: 'self_attn_norm',
  'self_attn.q_proj': 'self_attn.q_proj',
  'self_attn.k_proj': 'self_attn.k_proj',
  'self_attn.v_proj': 'self_attn.v_proj',
  'self_attn.out_proj': 'self_attn.out_proj',
  layer_norm2: 'feed_forward_norm',
  'mlp.fc1': 'feed_forward.fc1',
  'mlp.fc2': 'feed_forward.fc2',
};

/** The engine's names of the encoder of pictures begin with this. */
export const scope = 'vision';

const layersOf = (stored: string, encoder: string): Record<string, Target> =>
  Object.fromEntries(
    Object.entries(inLayer).map(([name, target]) => [
      `${stored}.encoder.layers.#.${name}`,
      `${encoder}.layers.#.${target}`,
    ]),
  );

/** A single number, as [1]. */
const number =
  (target: string): Target =>
  ({ name }) => [{ name: target, from: name, firstRow: 0, rows: null, shape: [1] }];

/** The names that both kinds have. */
export const towerNames: NameTable['names'] = {
  'text_model.embeddings.token_embedding': asEmbedding('encoder.embedding'),
  'text_model.embeddings.position_embedding': asTable('encoder.positions'),
  ...layersOf('text_model', 'encoder'),
  'text_model.final_layer_norm': 'encoder.norm',
  'vision_model.embeddings.class_embedding': frontRows('class', `${scope}.front`),
  'vision_model.embeddings.patch_embedding': patchLayerOf(`${scope}.front`),
  'vision_model.embeddings.position_embedding': asTable(`${scope}.encoder.positions`),
  ...layersOf('vision_model', `${scope}.encoder`),
  logit_scale: number(`${scope}.contrast.scale`),
  logit_bias: number(`${scope}.contrast.bias`),
};

/**
 * The fields of an encoder. Very old files have them twice: then the second ones count, and defaults for the others.
 */
export function fieldsIn(
  config: JsonObject,
  name: 'text_config' | 'vision_config',
  defaults: JsonObject,
): Fields {
  const own = config[name] ?? {};
  const again = config[`${name}_dict`] ?? null;
  if (!isJsonObject(own)) fail('bad_checkpoint', `config.json: ${name} must be an object`);
  const newer = isJsonObject(again) ? { ...defaults, ...again } : {};
  return new Fields({ ...defaults, ...own, ...newer }, `config.json: ${name}`);
}

/** Norms before each block, and learned positions. */
export function towerStack(fields: Fields, maxLength: number): Stack {
  return { ...preNorm(stackOf(readSizes(fields))), positions: { learned: { maxLength } } };
}

/** A model whose pictures have one size. */
export function patchesIn(fields: Fields, prefix: PatchesConfig['prefix'], bias: boolean): PatchesConfig {
  const size = fields.count('image_size');
  return {
    channels: fields.count('num_channels', 3),
    height: size,
    width: size,
    patch: fields.count('patch_size'),
    prefix,
    bias,
  };
}

/** The number of patches, with what is before them. */
export const tokensOf = ({ height, width, patch, prefix }: PatchesConfig) =>
  Math.floor(height / patch) * Math.floor(width / patch) + prefix.length;

interface Towers {
  readonly text: Pick<TransformerPlan, 'model' | 'maxPositions' | 'isCausal'>;
  readonly pictures: Pick<TowerPlan, 'model' | 'maxPositions' | 'textLength'>;
  /** The fields of the encoder of texts. */
  readonly fields: Fields;
  readonly table: NameTable;
}

export function planTowers(shapes: Shapes, { text, pictures, fields, table }: Towers): TransformerPlan {
  const common = {
    slices: renamed(shapes, table),
    tokens: readTokens(fields, false),
    storedName: (name: string) => nameBefore(name, table),
    statesBeforeNorm: 'encoder',
  } as const;
  const contrast = { embeds: true };
  return {
    ...common,
    ...text,
    model: { ...text.model, contrast },
    tower: {
      ...common,
      ...pictures,
      model: {
        scope,
        ...pictures.model,
        contrast: { ...contrast, compares: true, ...pictures.model.contrast },
      },
    },
  };
}
