/** Hunyuan's dense models (Tencent 2025): Llama with norms of queries and keys after their rotation. */

import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { type Family, fieldsOf } from '../plans/family.js';
import type { NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { headWidth, llamaDefaults, llamaStack, llamaTable, planLlama, withOwn } from './llama_like.js';

const table: NameTable = {
  ...llamaTable,
  names: {
    ...llamaTable.names,
    'layers.#.self_attn.query_layernorm': 'decoder.layers.#.self_attn.q_norm',
    'layers.#.self_attn.key_layernorm': 'decoder.layers.#.self_attn.k_norm',
  },
};

/** A scaling by `alpha` is another base, whatever the length. */
function withBase(config: JsonObject): JsonObject {
  for (const name of ['rope_scaling', 'rope_parameters']) {
    const rope = config[name];
    if (!isJsonObject(rope) || typeof rope.alpha !== 'number') continue;
    const fields = fieldsOf({ ...config, ...rope });
    const dHead = headWidth(fields);
    const base = fields.number('rope_theta', 10000) * rope.alpha ** (dHead / (dHead - 2));
    return { ...config, [name]: null, rope_theta: base };
  }
  return config;
}

export const hunyuanDense: Family = {
  modelTypes: ['hunyuan_v1_dense'],
  tokenizer: kinds.onlyJson,
  defaults: { ...llamaDefaults, vocab_size: 290943, rms_norm_eps: 1e-5, tie_word_embeddings: false },
  plan: (config, shapes) =>
    planLlama(withBase(config), shapes, {
      classes: 'HunYuanDenseV1',
      stack: (fields) =>
        withOwn(llamaStack(fields, { bias: fields.flag('attention_bias') }), {
          attention: { queryKeyNorm: 'head', normAfterRotation: true },
        }),
      table,
    }),
};
