/** The architectures of GGUF files that are decoders. */

import type { Fields } from '../../files/fields.js';
import type { JsonObject } from '../../files/json_object.js';
import type { Architecture } from './architecture.js';

/** As in a folder; `#` stands for a layer. */
export const llamaNames: Readonly<Record<string, string>> = {
  token_embd: 'model.embed_tokens',
  output_norm: 'model.norm',
  output: 'lm_head',
  'blk.#.attn_norm': 'model.layers.#.input_layernorm',
  'blk.#.attn_q': 'model.layers.#.self_attn.q_proj',
  'blk.#.attn_k': 'model.layers.#.self_attn.k_proj',
  'blk.#.attn_v': 'model.layers.#.self_attn.v_proj',
  'blk.#.attn_output': 'model.layers.#.self_attn.o_proj',
  'blk.#.attn_q_norm': 'model.layers.#.self_attn.q_norm',
  'blk.#.attn_k_norm': 'model.layers.#.self_attn.k_norm',
  'blk.#.ffn_norm': 'model.layers.#.post_attention_layernorm',
  'blk.#.ffn_gate': 'model.layers.#.mlp.gate_proj',
  'blk.#.ffn_up': 'model.layers.#.mlp.up_proj',
  'blk.#.ffn_down': 'model.layers.#.mlp.down_proj',
};

/** Norms before and after each block, as in Gemma 2 and 3. */
const normsAround = {
  'blk.#.post_attention_norm': 'model.layers.#.post_attention_layernorm',
  'blk.#.ffn_norm': 'model.layers.#.pre_feedforward_layernorm',
  'blk.#.post_ffw_norm': 'model.layers.#.post_feedforward_layernorm',
};

const gemma = { addedToNorms: -1 };
const gemmaActivation = { hidden_activation: 'gelu_pytorch_tanh' };
/** @param largest layers of the model of 27 billion parameters, whose scores have another scale */
const gemmaConfig = (fields: Fields, largest: number): JsonObject => ({
  ...gemmaActivation,
  query_pre_attn_scalar:
    fields.count('block_count') === largest
      ? fields.count('embedding_length') / fields.count('attention.head_count')
      : fields.count('attention.key_length', 256),
  ...(fields.has('attention.sliding_window') && { sliding_window: fields.count('attention.sliding_window') }),
});

/** A field under another name, if the file has it. */
const renamed = (fields: Fields, name: string, key: string): JsonObject =>
  fields.has(key) ? { [name]: fields.number(key) } : {};

export const gemma3: Architecture = {
  ...gemma,
  modelType: 'gemma3_text',
  className: 'Gemma3ForCausalLM',
  names: normsAround,
  config: (fields) => ({
    ...gemmaConfig(fields, 62),
    sliding_window_pattern: fields.count('attention.sliding_window_pattern', 6),
    rope_local_base_freq: fields.number('rope.freq_base_swa', 10000),
  }),
};

export const decoders: readonly [string, Architecture][] = [
  ['llama', { modelType: 'llama', className: 'LlamaForCausalLM', isPaired: true }],
  ['qwen2', { modelType: 'qwen2', className: 'Qwen2ForCausalLM' }],
  ['qwen3', { modelType: 'qwen3', className: 'Qwen3ForCausalLM' }],
  ['gemma', { ...gemma, modelType: 'gemma', className: 'GemmaForCausalLM', config: () => gemmaActivation }],
  [
    'gemma2',
    {
      ...gemma,
      modelType: 'gemma2',
      className: 'Gemma2ForCausalLM',
      names: normsAround,
      config: (fields) => ({
        ...gemmaConfig(fields, 46),
        attn_logit_softcapping: fields.number('attn_logit_softcapping', 50),
        final_logit_softcapping: fields.number('final_logit_softcapping', 30),
      }),
    },
  ],
  ['gemma3', gemma3],
  [
    'granite',
    {
      modelType: 'granite',
      className: 'GraniteForCausalLM',
      isPaired: true,
      config: (fields) => ({
        ...renamed(fields, 'embedding_multiplier', 'embedding_scale'),
        ...renamed(fields, 'residual_multiplier', 'residual_scale'),
        ...renamed(fields, 'attention_multiplier', 'attention.scale'),
        ...renamed(fields, 'logits_scaling', 'logit_scale'),
      }),
    },
  ],
  [
    'smollm3',
    {
      modelType: 'smollm3',
      className: 'SmolLM3ForCausalLM',
      isPaired: true,
      config: () => ({ no_rope_layer_interval: 4 }),
    },
  ],
  [
    'olmo2',
    {
      modelType: 'olmo2',
      className: 'Olmo2ForCausalLM',
      names: {
        'blk.#.post_attention_norm': 'model.layers.#.post_attention_layernorm',
        'blk.#.post_ffw_norm': 'model.layers.#.post_feedforward_layernorm',
      },
    },
  ],
];
