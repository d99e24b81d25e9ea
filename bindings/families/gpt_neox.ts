/** GPT-NeoX and Pythia (Black et al. 2022): attention and feed-forward side by side; rotary positions on a part of a head. */

import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { asEmbedding, type NameTable } from '../plans/renaming.js';
import { readSizes, stackOf, withLayer } from '../plans/stack.js';
import { onlyJson } from '../tokenizers/kinds.js';
import { decoderModel, planDecoder } from './decoder_like.js';
import { perHead } from './fused.js';
import { readRotation } from './rope.js';

const tableOf = (heads: number): NameTable => ({
  prefixes: ['gpt_neox.'],
  names: {
    embed_in: asEmbedding('decoder.embedding'),
    'layers.#.input_layernorm': 'decoder.layers.#.self_attn_norm',
    'layers.#.attention.query_key_value': perHead(heads),
    'layers.#.attention.dense': 'decoder.layers.#.self_attn.out_proj',
    'layers.#.post_attention_layernorm': 'decoder.layers.#.feed_forward_norm',
    'layers.#.mlp.dense_h_to_4h': 'decoder.layers.#.feed_forward.fc1',
    'layers.#.mlp.dense_4h_to_h': 'decoder.layers.#.feed_forward.fc2',
    final_layer_norm: 'decoder.norm',
    embed_out: 'projection',
  },
});

export const gptNeox: Family = {
  modelTypes: ['gpt_neox'],
  tokenizer: onlyJson,
  defaults: {
    vocab_size: 50432,
    hidden_size: 6144,
    intermediate_size: 24576,
    num_hidden_layers: 44,
    num_attention_heads: 64,
    hidden_act: 'gelu',
    max_position_embeddings: 2048,
    layer_norm_eps: 1e-5,
    rotary_pct: 0.25,
    rotary_emb_base: 10000,
    use_parallel_residual: true,
    attention_bias: true,
    tie_word_embeddings: false,
    bos_token_id: 0,
    eos_token_id: 2,
  },
  plan(config, shapes) {
    headOf(config, 'GPTNeoX', ['ForCausalLM']);
    const fields = fieldsOf({ rope_theta: config.rotary_emb_base, ...config });
    const sizes = readSizes(fields);
    const { dModel, numHeads } = sizes;
    const dHead = Math.floor(dModel / numHeads);
    const stack = stackOf(sizes);
    const positions = readRotation(fields, dHead, Math.floor(fields.number('rotary_pct') * dHead));
    const decoder = {
      ...withLayer(stack, { attention: { bias: fields.flag('attention_bias') } }),
      vocab: fields.count('vocab_size'),
      positions,
    };
    const place = fields.flag('use_parallel_residual') ? 'parallel' : 'pre';
    return planDecoder(fields, shapes, {
      model: decoderModel(decoder, fields.flag('tie_word_embeddings'), place),
      table: tableOf(numHeads),
      maxPositions: maxLengthOf(positions),
    });
  },
};
