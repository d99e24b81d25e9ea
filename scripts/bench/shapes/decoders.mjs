// Shapes of decoders.

import { layersOf, linear, matrix, norm } from './parts.mjs';

const scale = (name, d) => ({ [`${name}.weight`]: [d] });

/** How the families that are like Llama differ in their tensors. */
const differences = {
  llama: {},
  smollm3: {},
  qwen2: { isBiased: true },
  qwen3: { norms: 'head' },
  gemma3_text: { norms: 'head', sandwiches: true },
  olmo2: { norms: 'whole', isPost: true },
  phi3: { isFused: true },
};

const classes = {
  llama: 'LlamaForCausalLM',
  smollm3: 'SmolLM3ForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
  gemma3_text: 'Gemma3ForCausalLM',
  olmo2: 'Olmo2ForCausalLM',
  phi3: 'Phi3ForCausalLM',
};

function attentionOf(name, { d, heads, keys, dHead }, { isBiased, isFused, norms }) {
  const [queryWidth, keyWidth] = [heads * dHead, keys * dHead];
  const project = isBiased ? linear : matrix;
  return {
    ...(isFused
      ? matrix(`${name}.qkv_proj`, queryWidth + 2 * keyWidth, d)
      : {
          ...project(`${name}.q_proj`, queryWidth, d),
          ...project(`${name}.k_proj`, keyWidth, d),
          ...project(`${name}.v_proj`, keyWidth, d),
        }),
    ...matrix(`${name}.o_proj`, d, queryWidth),
    ...(norms
      ? {
          ...scale(`${name}.q_norm`, norms === 'head' ? dHead : queryWidth),
          ...scale(`${name}.k_norm`, norms === 'head' ? dHead : keyWidth),
        }
      : {}),
  };
}

/** @param family one of Llama's kin @param size `{ d, ffn, layers, heads, keys, dHead, vocab, tied }` */
export function llamaLike(family, size, fields = {}) {
  const { d, ffn, layers, vocab, tied = true, dHead = d / size.heads } = size;
  const difference = differences[family];
  const { sandwiches, isPost, isFused } = difference;
  const norms = sandwiches
    ? ['input', 'post_attention', 'pre_feedforward', 'post_feedforward']
    : isPost
      ? ['post_attention', 'post_feedforward']
      : ['input', 'post_attention'];
  const layer = (name) =>
    Object.assign(
      attentionOf(`${name}.self_attn`, { ...size, dHead }, difference),
      ...norms.map((one) => scale(`${name}.${one}_layernorm`, d)),
      ...(isFused
        ? [matrix(`${name}.mlp.gate_up_proj`, 2 * ffn, d)]
        : [matrix(`${name}.mlp.gate_proj`, ffn, d), matrix(`${name}.mlp.up_proj`, ffn, d)]),
      matrix(`${name}.mlp.down_proj`, d, ffn),
    );
  return {
    config: {
      model_type: family,
      architectures: [classes[family]],
      hidden_size: d,
      intermediate_size: ffn,
      num_hidden_layers: layers,
      num_attention_heads: size.heads,
      num_key_value_heads: size.keys,
      head_dim: dHead,
      vocab_size: vocab,
      tie_word_embeddings: tied,
      max_position_embeddings: 4096,
      rms_norm_eps: 1e-6,
      bos_token_id: 1,
      eos_token_id: 2,
      ...fields,
    },
    tensors: {
      ...matrix('model.embed_tokens', vocab, d),
      ...layersOf('model.layers', layers, layer),
      ...scale('model.norm', d),
      ...(tied ? {} : matrix('lm_head', vocab, d)),
    },
  };
}

/** GPT-2 stores its matrices transposed, and the projections of queries, keys and values as one. */
export function gpt2({ d, layers, heads, vocab, positions }) {
  const layer = (name) => ({
    ...norm(`${name}.ln_1`, d),
    ...norm(`${name}.ln_2`, d),
    ...Object.assign(
      {},
      ...[
        ['attn.c_attn', d, 3 * d],
        ['attn.c_proj', d, d],
        ['mlp.c_fc', d, 4 * d],
        ['mlp.c_proj', 4 * d, d],
      ].map(([part, into, out]) => ({
        [`${name}.${part}.weight`]: [into, out],
        [`${name}.${part}.bias`]: [out],
      })),
    ),
  });
  return {
    config: {
      model_type: 'gpt2',
      architectures: ['GPT2LMHeadModel'],
      n_embd: d,
      n_layer: layers,
      n_head: heads,
      n_positions: positions,
      vocab_size: vocab,
      eos_token_id: vocab - 1,
    },
    tensors: {
      ...matrix('wte', vocab, d),
      ...matrix('wpe', positions, d),
      ...layersOf('h', layers, layer),
      ...norm('ln_f', d),
    },
  };
}
