/** GPT-Neo (Black et al. 2021): GPT-2 with unscaled scores, and a window in every other layer. */

import type { Fields } from '../files/fields.js';
import { showJson } from '../files/show_json.js';
import { readActivation } from '../plans/activations.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, asTable, type NameTable } from '../plans/renaming.js';
import { stackOf, withLayer } from '../plans/stack.js';
import { gpt2Bytes } from '../tokenizers/kinds.js';
import { fail } from '../values/errors.js';
import { decoderModel, planDecoder } from './decoder_like.js';
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

export const gptNeo: Family = {
  modelTypes: ['gpt_neo'],
  tokenizer: gpt2Bytes,
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
  plan(config, shapes) {
    headOf(config, 'GPTNeo', ['ForCausalLM']);
    const fields = fieldsOf(config);
    const dModel = fields.count('hidden_size');
    const numLayers = fields.count('num_layers');
    const maxLength = fields.count('max_position_embeddings');
    const stack = stackOf({
      dModel,
      numHeads: fields.count('num_heads'),
      dFf: fields.count('intermediate_size', 4 * dModel),
      numLayers,
      activation: readActivation(fields, 'activation_function'),
      eps: fields.number('layer_norm_epsilon'),
    });
    const kinds = readKinds(fields, numLayers);
    const decoder = {
      ...withLayer(stack, { attention: { scale: 1, unbiased: 'qkv' } }),
      ...windowsOf(
        fields.count('window_size'),
        kinds.map((kind) => kind === 'local'),
      ),
      vocab: fields.count('vocab_size'),
      positions: { learned: { maxLength } },
    };
    const model = decoderModel(decoder, fields.flag('tie_word_embeddings'));
    return planDecoder(fields, shapes, { model, table, maxPositions: maxLength });
  },
};
