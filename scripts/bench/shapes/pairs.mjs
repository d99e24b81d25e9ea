// Shapes of encoders with decoders.

import { layersOf, linear, matrix, norm } from './parts.mjs';

/** Marian, BART, M2M100: which of them decides where there are norms and positions. */
function bartLike({ d, ffn, layers, vocab, positions = 0, embeddingNorm = false, finalNorm = false }) {
  const attention = (name) =>
    Object.assign({}, ...['q', 'k', 'v', 'out'].map((part) => linear(`${name}.${part}_proj`, d, d)));
  const layer = (attentions) => (name) =>
    Object.assign(
      {},
      ...attentions.flatMap((part) => [attention(`${name}.${part}`), norm(`${name}.${part}_layer_norm`, d)]),
      linear(`${name}.fc1`, ffn, d),
      linear(`${name}.fc2`, d, ffn),
      norm(`${name}.final_layer_norm`, d),
    );
  const stack = (name, attentions) => ({
    ...(positions > 0 ? matrix(`${name}.embed_positions`, positions + 2, d) : {}),
    ...(embeddingNorm ? norm(`${name}.layernorm_embedding`, d) : {}),
    ...(finalNorm ? norm(`${name}.layer_norm`, d) : {}),
    ...layersOf(`${name}.layers`, layers, layer(attentions)),
  });
  return {
    ...matrix('model.shared', vocab, d),
    ...stack('model.encoder', ['self_attn']),
    ...stack('model.decoder', ['self_attn', 'encoder_attn']),
  };
}

const bartFields = ({ d, heads, ffn, layers, vocab }) => ({
  d_model: d,
  encoder_attention_heads: heads,
  decoder_attention_heads: heads,
  encoder_ffn_dim: ffn,
  decoder_ffn_dim: ffn,
  encoder_layers: layers,
  decoder_layers: layers,
  vocab_size: vocab,
});

export const marian = (size) => ({
  config: {
    model_type: 'marian',
    architectures: ['MarianMTModel'],
    ...bartFields(size),
    activation_function: 'swish',
    scale_embedding: true,
    pad_token_id: size.vocab - 1,
    eos_token_id: 0,
    decoder_start_token_id: size.vocab - 1,
    max_position_embeddings: 512,
  },
  tensors: { ...bartLike(size), final_logits_bias: [1, size.vocab] },
});

export const bart = (size) => ({
  config: {
    model_type: 'bart',
    architectures: ['BartForConditionalGeneration'],
    ...bartFields(size),
    activation_function: 'gelu',
    pad_token_id: 1,
    bos_token_id: 0,
    eos_token_id: 2,
    decoder_start_token_id: 2,
    max_position_embeddings: 1024,
  },
  tensors: {
    ...bartLike({ ...size, positions: 1024, embeddingNorm: true }),
    final_logits_bias: [1, size.vocab],
  },
});

export const m2m100 = (size) => ({
  config: {
    model_type: 'm2m_100',
    architectures: ['M2M100ForConditionalGeneration'],
    ...bartFields(size),
    activation_function: 'relu',
    scale_embedding: true,
    pad_token_id: 1,
    bos_token_id: 0,
    eos_token_id: 2,
    decoder_start_token_id: 2,
    max_position_embeddings: 1024,
  },
  tensors: bartLike({ ...size, finalNorm: true }),
});

const t5Config = ({ d, ffn, layers, heads, dHead, vocab, gated }) => ({
  model_type: 't5',
  architectures: ['T5ForConditionalGeneration'],
  d_model: d,
  d_kv: dHead,
  d_ff: ffn,
  num_layers: layers,
  num_heads: heads,
  feed_forward_proj: gated ? 'gated-gelu' : 'relu',
  tie_word_embeddings: !gated,
  vocab_size: vocab,
  pad_token_id: 0,
  eos_token_id: 1,
  decoder_start_token_id: 0,
});

/** T5, or with `gated` the version 1.1 that FLAN-T5 has, whose projection is its own. */
export function t5({ d, ffn, layers, heads, dHead, vocab, gated = false }) {
  const width = heads * dHead;
  const attention = (name) => ({
    ...Object.assign({}, ...[...'qkv'].map((part) => matrix(`${name}.${part}`, width, d))),
    ...matrix(`${name}.o`, d, width),
  });
  const feedForward = (name) =>
    Object.assign(
      {},
      ...(gated ? ['wi_0', 'wi_1'] : ['wi']).map((part) => matrix(`${name}.${part}`, ffn, d)),
      matrix(`${name}.wo`, d, ffn),
    );
  const block = (attentions) => (name) =>
    Object.assign(
      {},
      ...attentions.map((part, at) => ({
        ...attention(`${name}.layer.${at}.${part}`),
        [`${name}.layer.${at}.layer_norm.weight`]: [d],
      })),
      feedForward(`${name}.layer.${attentions.length}.DenseReluDense`),
      { [`${name}.layer.${attentions.length}.layer_norm.weight`]: [d] },
    );
  const stack = (name, attentions) => ({
    ...layersOf(`${name}.block`, layers, block(attentions)),
    ...matrix(`${name}.block.0.layer.0.SelfAttention.relative_attention_bias`, 32, heads),
    [`${name}.final_layer_norm.weight`]: [d],
  });
  return {
    config: t5Config({ d, ffn, layers, heads, dHead, vocab, gated }),
    tensors: {
      ...matrix('shared', vocab, d),
      ...stack('encoder', ['SelfAttention']),
      ...stack('decoder', ['SelfAttention', 'EncDecAttention']),
      ...(gated ? matrix('lm_head', vocab, d) : {}),
    },
  };
}

export function whisper(size) {
  const { d, vocab } = size;
  const all = bartLike({ ...size, finalNorm: true });
  const stored = Object.entries(all).filter(([name]) => !/\.k_proj\.bias$|^model\.shared/.test(name));
  return {
    config: {
      model_type: 'whisper',
      architectures: ['WhisperForConditionalGeneration'],
      ...bartFields(size),
      num_mel_bins: 80,
      max_source_positions: 1500,
      max_target_positions: 448,
      decoder_start_token_id: 50258,
      eos_token_id: 50257,
      pad_token_id: 50257,
    },
    tensors: {
      ...Object.fromEntries(stored),
      'model.encoder.conv1.weight': [d, 80, 3],
      'model.encoder.conv1.bias': [d],
      'model.encoder.conv2.weight': [d, d, 3],
      'model.encoder.conv2.bias': [d],
      ...matrix('model.encoder.embed_positions', 1500, d),
      ...matrix('model.decoder.embed_positions', 448, d),
      ...matrix('model.decoder.embed_tokens', vocab, d),
    },
  };
}

const moonshineConfig = ({ d, ffn, layers, heads, vocab }) => ({
  model_type: 'moonshine',
  architectures: ['MoonshineForConditionalGeneration'],
  hidden_size: d,
  intermediate_size: ffn,
  encoder_num_hidden_layers: layers,
  decoder_num_hidden_layers: layers,
  encoder_num_attention_heads: heads,
  decoder_num_attention_heads: heads,
  encoder_num_key_value_heads: heads,
  decoder_num_key_value_heads: heads,
  encoder_hidden_act: 'gelu',
  decoder_hidden_act: 'silu',
  partial_rotary_factor: 0.9,
  max_position_embeddings: 194,
  tie_word_embeddings: true,
  vocab_size: vocab,
  bos_token_id: 1,
  eos_token_id: 2,
  decoder_start_token_id: 1,
});

export function moonshine({ d, ffn, layers, heads, vocab }) {
  const attention = (name) =>
    Object.assign({}, ...[...'qkvo'].map((part) => matrix(`${name}.${part}_proj`, d, d)));
  const scale = (name) => ({ [`${name}.weight`]: [d] });
  const layer = (attentions, inner) => (name) =>
    Object.assign(
      {},
      ...attentions.map((part) => attention(`${name}.${part}`)),
      linear(`${name}.mlp.fc1`, inner, d),
      linear(`${name}.mlp.fc2`, d, ffn),
      scale(`${name}.input_layernorm`),
      scale(`${name}.post_attention_layernorm`),
      ...(attentions.length > 1 ? [scale(`${name}.final_layernorm`)] : []),
    );
  return {
    config: moonshineConfig({ d, ffn, layers, heads, vocab }),
    tensors: {
      'model.encoder.conv1.weight': [d, 1, 127],
      'model.encoder.conv2.weight': [2 * d, d, 7],
      'model.encoder.conv2.bias': [2 * d],
      'model.encoder.conv3.weight': [d, 2 * d, 3],
      'model.encoder.conv3.bias': [d],
      ...norm('model.encoder.groupnorm', d),
      ...scale('model.encoder.layer_norm'),
      ...scale('model.decoder.norm'),
      ...matrix('model.decoder.embed_tokens', vocab, d),
      ...layersOf('model.encoder.layers', layers, layer(['self_attn'], ffn)),
      ...layersOf('model.decoder.layers', layers, layer(['self_attn', 'encoder_attn'], 2 * ffn)),
    },
  };
}
