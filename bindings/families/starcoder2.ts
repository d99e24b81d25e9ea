/** StarCoder 2 (Lozhkov et al. 2024): Llama with layer norms, biases, plain feed-forward layers and a window. */

import type { Family } from '../plans/family.js';
import type { NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { slidingLayers, windowsOf } from './layer_types.js';
import { llamaDefaults, llamaStack, llamaTable, planLlama, withOwn } from './llama_like.js';

const table: NameTable = {
  ...llamaTable,
  names: {
    ...llamaTable.names,
    'layers.#.mlp.c_fc': 'decoder.layers.#.feed_forward.fc1',
    'layers.#.mlp.c_proj': 'decoder.layers.#.feed_forward.fc2',
  },
};

export const starcoder2: Family = {
  modelTypes: ['starcoder2'],
  tokenizer: kinds.gpt2Bytes,
  defaults: {
    ...llamaDefaults,
    vocab_size: 49152,
    hidden_size: 3072,
    intermediate_size: 12288,
    num_hidden_layers: 30,
    num_attention_heads: 24,
    num_key_value_heads: 2,
    hidden_act: 'gelu_pytorch_tanh',
    max_position_embeddings: 4096,
    norm_epsilon: 1e-5,
    use_bias: true,
    tie_word_embeddings: true,
    bos_token_id: 50256,
    eos_token_id: 50256,
  },
  plan: (config, shapes) =>
    planLlama({ ...config, rms_norm_eps: config.norm_epsilon }, shapes, {
      classes: 'Starcoder2',
      stack(fields) {
        const bias = fields.flag('use_bias');
        const stack = withOwn(llamaStack(fields, { bias }), {
          feedForward: { gated: false, bias },
          norm: { kind: 'layer' },
        });
        if (!fields.has('sliding_window')) return stack;
        const sliding = slidingLayers(fields, stack.numLayers, () => true);
        return { ...stack, ...windowsOf(fields.count('sliding_window'), sliding) };
      },
      table,
    }),
};
