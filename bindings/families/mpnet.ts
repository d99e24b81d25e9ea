/** MPNet (Song et al. 2020): RoBERTa without token types, with learned positions and T5's relative ones. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, asTable, type NameTable, positionsFrom, type Target } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { bertDefaults, bertSizes } from './bert.js';
import { bertEncoder, commonHeads, planEncoder } from './bert_like.js';
import { robertaNames, robertaParts } from './roberta.js';

/** The padding id that the class fixes: positions begin after it. */
const pad = 1;

const encoderNames: Readonly<Record<string, Target>> = {
  'embeddings.word_embeddings': asEmbedding('encoder.embedding'),
  'embeddings.position_embeddings': positionsFrom(pad + 1, 'encoder.input_positions'),
  'embeddings.LayerNorm': 'encoder.embedding_norm',
  'encoder.relative_attention_bias': asTable('encoder.relative_bias'),
  'encoder.layer.#.attention.attn.q': 'encoder.layers.#.self_attn.q_proj',
  'encoder.layer.#.attention.attn.k': 'encoder.layers.#.self_attn.k_proj',
  'encoder.layer.#.attention.attn.v': 'encoder.layers.#.self_attn.v_proj',
  'encoder.layer.#.attention.attn.o': 'encoder.layers.#.self_attn.out_proj',
  'encoder.layer.#.attention.LayerNorm': 'encoder.layers.#.self_attn_norm',
  'encoder.layer.#.intermediate.dense': 'encoder.layers.#.feed_forward.fc1',
  'encoder.layer.#.output.dense': 'encoder.layers.#.feed_forward.fc2',
  'encoder.layer.#.output.LayerNorm': 'encoder.layers.#.feed_forward_norm',
};

export const mpnet: Family = {
  modelTypes: ['mpnet'],
  tokenizer: kinds.mpnetWords,
  defaults: {
    ...bertDefaults,
    vocab_size: 30527,
    bos_token_id: 0,
    pad_token_id: pad,
    eos_token_id: 2,
  },
  plan(config, shapes) {
    const head = headOf(config, 'MPNet', commonHeads);
    const fields = fieldsOf(config);
    fields.only('pad_token_id', pad);
    const sizes = bertSizes(fields);
    const maxLength = fields.count('max_position_embeddings') - pad - 1;
    const table: NameTable = { prefixes: ['mpnet.'], names: { ...encoderNames, ...robertaNames[head] } };
    const encoder = planEncoder(fields, shapes, {
      head,
      table,
      model: {
        encoder: {
          ...bertEncoder(fields, sizes, maxLength),
          inputPositions: maxLength,
          // The class fixes these numbers, whatever config.json says.
          positions: { relative: { buckets: 32, maxDistance: 128 } },
        },
        ...robertaParts(head, fields, shapes, sizes),
      },
      maxPositions: maxLength,
    });
    return { ...encoder, countsPositions: true };
  },
};
