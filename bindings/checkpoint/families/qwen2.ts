/** Qwen2 (Yang et al. 2024): Llama with biases of queries, keys and values. */

import { onlyJson } from '../tokenizers/kinds.js';
import type { Slice } from '../weights/slices.js';
import { decoderModel, planDecoder } from './decoder_like.js';
import { type Family, fieldsOf, headOf } from './family.js';
import { llamaDefaults, llamaStack, llamaTable } from './llama_like.js';
import { maxLengthOf } from './positions.js';

export const qwen2: Family = {
  modelTypes: ['qwen2'],
  tokenizer: onlyJson,
  defaults: {
    ...llamaDefaults,
    vocab_size: 151936,
    intermediate_size: 22016,
    num_key_value_heads: 32,
    max_position_embeddings: 32768,
    use_sliding_window: false,
    bos_token_id: null,
    eos_token_id: null,
  },
  plan(config, shapes) {
    headOf(config, 'Qwen2', ['ForCausalLM']);
    const fields = fieldsOf(config);
    fields.only('use_sliding_window', false);
    const decoder = llamaStack(fields, true);
    const model = decoderModel(decoder, fields.flag('tie_word_embeddings'));
    const maxPositions = maxLengthOf(decoder.positions);
    const plan = planDecoder(fields, shapes, { model, table: llamaTable, maxPositions });
    return { ...plan, slices: [...plan.slices, ...zeroBiases(plan.slices)] };
  },
};

/** The engine's layer has a bias of the output too, which is 0 here: as many numbers as the layer's norm, times 0. */
const zeroBiases = (slices: readonly Slice[]): Slice[] =>
  slices.flatMap((slice) => {
    const [norm, layer] = /^(.*)\.self_attn_norm\.weight$/.exec(slice.name) ?? [];
    return norm ? [{ ...slice, name: `${layer}.self_attn.out_proj.bias`, factor: 0 }] : [];
  });
