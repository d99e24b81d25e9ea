/** GPT-Neo (Black et al. 2021): GPT-2 with unscaled scores, and a window in every other layer. */

import type { Fields } from '../files/fields.js';
import { showJson } from '../files/show_json.js';
import { asEmbedding, asTable, type NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { fail } from '../values/errors.js';
import { decoderFamily } from './decoder_like.js';
import { windowsOf } from './layer_types.js';

const table: NameTable = {
  prefixes: ['transformer.'],
  names: {
    wte: asEmbedding('decoder.embedding'),
    wpe: asTable('decoder.positions'),
    'h.#.ln_1': 'decoder.layers.#.self_attn_norm',
    'h.#.attn.attention.q_proj': 'decoder.layers.#.self_attn.q_proj',
    'h.#.attn.attention.k_proj': 'decoder.layers.#.self_attn.k_proj',
    'h.#.attn.attention.v_proj': 'decoder.layers.#.self_attn.v_proj',
    'h.#.attn.attention.out_proj': 'decoder.layers.#.self_attn.out_proj',
    'h.#.ln_2': 'decoder.layers.#.feed_forward_norm',
    'h.#.mlp.c_fc': 'decoder.layers.#.feed_forward.fc1',
    'h.#.mlp.c_proj': 'decoder.layers.#.feed_forward.fc2',
    ln_f: 'decoder.norm',
    lm_head: 'projection',
  },
};

/** The kind of each layer, from a list such as [[["global", "local"], 12]]. */
function readKinds(fields: Fields, numLayers: number): string[] {
  const given = fields.raw('attention_types');
  const groups: unknown[] = Array.isArray(given) ? given : [];
  const kinds = groups.flatMap((group) => {
    const [names, times] = Array.isArray(group) ? group : [];
    const isGroup = Array.isArray(names) && Number.isSafeInteger(times) && times >= 0 && times <= numLayers;
    return isGroup ? Array.from({ length: times }, () => names.map(String)).flat() : [];
  });
  const isWhole = kinds.length === numLayers && kinds.every((kind) => kind === 'global' || kind === 'local');
  if (!isWhole)
    fail(
      'bad_checkpoint',
      `config.json: attention_types must name ${numLayers} layers, global or local, got ${showJson(given)}`,
    );
  return kinds;
}

export const gptNeo = decoderFamily({
  modelTypes: ['gpt_neo'],
  classes: 'GPTNeo',
  tokenizer: kinds.gpt2Bytes,
  defaults: {
    vocab_size: 50257,
    max_position_embeddings: 2048,
    hidden_size: 2048,
    num_layers: 24,
    num_heads: 16,
    attention_types: [[['global', 'local'], 12]],
    window_size: 256,
    activation_function: 'gelu_new',
    layer_norm_epsilon: 1e-5,
    tie_word_embeddings: true,
    bos_token_id: 50256,
    eos_token_id: 50256,
  },
  keys: {
    numHeads: 'num_heads',
    numLayers: 'num_layers',
    dFf: 'intermediate_size',
    activation: 'activation_function',
    eps: 'layer_norm_epsilon',
  },
  parts(fields, { numLayers }) {
    const sliding = readKinds(fields, numLayers).map((kind) => kind === 'local');
    return {
      table,
      stack: {
        ...windowsOf(fields.count('window_size'), sliding),
        positions: { learned: { maxLength: fields.count('max_position_embeddings') } },
      },
      layer: { attention: { scale: 1, unbiased: 'qkv' } },
    };
  },
});
