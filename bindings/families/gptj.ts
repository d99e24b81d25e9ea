/**
 * GPT-J (Wang and Komatsuzaki 2021): blocks side by side after one norm; neighbours rotate in a part of each head.
 * CodeGen (Nijkamp et al. 2022): with queries, values and keys in one matrix, in four groups.
 */

import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { decoderFamily } from './decoder_like.js';
import { normOfBoth, stackedInGroups } from './fused.js';
import { gpt2Keys } from './gpt2.js';
import { readRotation } from './rope.js';

const layer = 'decoder.layers.#';
const attention = `${layer}.self_attn`;

const table: NameTable = {
  prefixes: ['transformer.'],
  names: {
    wte: asEmbedding('decoder.embedding'),
    'h.#.ln_1': normOfBoth,
    'h.#.attn.q_proj': `${attention}.q_proj`,
    'h.#.attn.k_proj': `${attention}.k_proj`,
    'h.#.attn.v_proj': `${attention}.v_proj`,
    'h.#.attn.qkv_proj': stackedInGroups(4, {
      [`${attention}.q_proj`]: 1,
      [`${attention}.v_proj`]: 1,
      [`${attention}.k_proj`]: 1,
    }),
    'h.#.attn.out_proj': `${attention}.out_proj`,
    'h.#.mlp.fc_in': `${layer}.feed_forward.fc1`,
    'h.#.mlp.fc_out': `${layer}.feed_forward.fc2`,
    ln_f: 'decoder.norm',
    lm_head: 'projection',
  },
};

const family = (modelType: string, classes: string) =>
  decoderFamily({
    modelTypes: [modelType],
    classes,
    tokenizer: kinds.gpt2Bytes,
    defaults: {
      vocab_size: 50400,
      n_positions: 2048,
      n_embd: 4096,
      n_layer: 28,
      n_head: 16,
      rotary_dim: 64,
      activation_function: 'gelu_new',
      layer_norm_epsilon: 1e-5,
      tie_word_embeddings: false,
      bos_token_id: 50256,
      eos_token_id: 50256,
    },
    keys: gpt2Keys,
    named: (config) => ({ ...config, max_position_embeddings: config.n_positions }),
    parts(fields, { dHead }) {
      const { rotary } = readRotation(fields, dHead, fields.count('rotary_dim'));
      return {
        table,
        stack: { positions: { rotary: { ...rotary, layout: 'interleaved' } } },
        layer: { attention: { bias: false } },
        normPlace: 'parallel',
        projection: { bias: true },
      };
    },
  });

export const gptj = family('gptj', 'GPTJ');
export const codegen = family('codegen', 'CodeGen');
