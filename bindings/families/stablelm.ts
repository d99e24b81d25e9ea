/** StableLM (Bellagente et al. 2024): Llama with layer norms, rotary positions on a part of each head. */

import type { Family } from '../plans/family.js';
import type { NameTable } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import { normOfBoth } from './fused.js';

import { llamaDefaults, llamaStack, llamaTable, planLlama, withOwn } from './llama_like.js';

const parallelTable: NameTable = {
  ...llamaTable,
  names: { ...llamaTable.names, 'layers.#.input_layernorm': normOfBoth },
};

export const stablelm: Family = {
  modelTypes: ['stablelm'],
  tokenizer: kinds.onlyJson,
  defaults: {
    ...llamaDefaults,
    vocab_size: 50304,
    hidden_size: 2560,
    intermediate_size: 6912,
    max_position_embeddings: 4096,
    layer_norm_eps: 1e-5,
    use_qkv_bias: false,
    partial_rotary_factor: 0.25,
    use_parallel_residual: false,
    bos_token_id: 0,
    eos_token_id: 0,
  },
  plan(config, shapes) {
    const isParallel = config.use_parallel_residual === true;
    return planLlama({ ...config, rms_norm_eps: config.layer_norm_eps }, shapes, {
      classes: 'StableLm',
      stack(fields) {
        fields.only('qk_layernorm', false);
        const biases = { bias: fields.flag('use_qkv_bias'), unbiased: 'o' };
        return withOwn(llamaStack(fields, biases), { norm: { kind: 'layer' } });
      },
      ...(isParallel && { table: parallelTable, normPlace: 'parallel' }),
    });
  },
};
