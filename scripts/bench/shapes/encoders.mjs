// Shapes of encoders, of texts and of pictures.

import { layersOf, linear, matrix, norm } from './parts.mjs';

const bertLayer = (d, ffn) => (name) => ({
  ...Object.assign(
    {},
    ...['query', 'key', 'value'].map((one) => linear(`${name}.attention.self.${one}`, d, d)),
  ),
  ...linear(`${name}.attention.output.dense`, d, d),
  ...norm(`${name}.attention.output.LayerNorm`, d),
  ...linear(`${name}.intermediate.dense`, ffn, d),
  ...linear(`${name}.output.dense`, d, ffn),
  ...norm(`${name}.output.LayerNorm`, d),
});

/** BERT, or RoBERTa with its two positions more. */
export function bert({ d, ffn, layers, heads, vocab, positions = 512, types = 2 }, family = 'bert') {
  return {
    config: {
      model_type: family,
      architectures: [family === 'bert' ? 'BertModel' : 'RobertaModel'],
      hidden_size: d,
      intermediate_size: ffn,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      vocab_size: vocab,
      max_position_embeddings: positions,
      type_vocab_size: types,
      hidden_act: 'gelu',
      pad_token_id: family === 'bert' ? 0 : 1,
    },
    tensors: {
      ...matrix('embeddings.word_embeddings', vocab, d),
      ...matrix('embeddings.position_embeddings', positions, d),
      ...matrix('embeddings.token_type_embeddings', types, d),
      ...norm('embeddings.LayerNorm', d),
      ...layersOf('encoder.layer', layers, bertLayer(d, ffn)),
      ...linear('pooler.dense', d, d),
    },
  };
}

export function distilbert({ d, ffn, layers, heads, vocab }) {
  const layer = (name) => ({
    ...Object.assign(
      {},
      ...['q', 'k', 'v', 'out'].map((one) => linear(`${name}.attention.${one}_lin`, d, d)),
    ),
    ...norm(`${name}.sa_layer_norm`, d),
    ...linear(`${name}.ffn.lin1`, ffn, d),
    ...linear(`${name}.ffn.lin2`, d, ffn),
    ...norm(`${name}.output_layer_norm`, d),
  });
  return {
    config: {
      model_type: 'distilbert',
      architectures: ['DistilBertModel'],
      dim: d,
      hidden_dim: ffn,
      n_layers: layers,
      n_heads: heads,
      vocab_size: vocab,
      max_position_embeddings: 512,
    },
    tensors: {
      ...matrix('embeddings.word_embeddings', vocab, d),
      ...matrix('embeddings.position_embeddings', 512, d),
      ...norm('embeddings.LayerNorm', d),
      ...layersOf('transformer.layer', layers, layer),
    },
  };
}

export function modernbert({ d, ffn, layers, heads, vocab }) {
  const scale = (name) => ({ [`${name}.weight`]: [d] });
  const layer = (name) => ({
    ...(name.endsWith('.0') ? {} : scale(`${name}.attn_norm`)),
    ...scale(`${name}.mlp_norm`),
    ...matrix(`${name}.attn.Wqkv`, 3 * d, d),
    ...matrix(`${name}.attn.Wo`, d, d),
    ...matrix(`${name}.mlp.Wi`, 2 * ffn, d),
    ...matrix(`${name}.mlp.Wo`, d, ffn),
  });
  return {
    config: {
      model_type: 'modernbert',
      architectures: ['ModernBertModel'],
      hidden_size: d,
      intermediate_size: ffn,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      vocab_size: vocab,
      max_position_embeddings: 8192,
    },
    tensors: {
      ...matrix('embeddings.tok_embeddings', vocab, d),
      ...scale('embeddings.norm'),
      ...layersOf('layers', layers, layer),
      ...scale('final_norm'),
    },
  };
}

/** ViT, or DINOv2 with its scales of layers and its token for training. */
export function vit({ d, ffn, layers, heads, patch, image }, family = 'vit') {
  const isDino = family === 'dinov2';
  const layer = (name) => ({
    ...Object.assign(
      {},
      ...['query', 'key', 'value'].map((one) => linear(`${name}.attention.attention.${one}`, d, d)),
    ),
    ...linear(`${name}.attention.output.dense`, d, d),
    ...norm(`${name}.${isDino ? 'norm1' : 'layernorm_before'}`, d),
    ...norm(`${name}.${isDino ? 'norm2' : 'layernorm_after'}`, d),
    ...linear(isDino ? `${name}.mlp.fc1` : `${name}.intermediate.dense`, ffn, d),
    ...linear(isDino ? `${name}.mlp.fc2` : `${name}.output.dense`, d, ffn),
    ...(isDino ? { [`${name}.layer_scale1.lambda1`]: [d], [`${name}.layer_scale2.lambda1`]: [d] } : {}),
  });
  return {
    config: {
      model_type: family,
      architectures: [isDino ? 'Dinov2Model' : 'ViTModel'],
      hidden_size: d,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      image_size: image,
      patch_size: patch,
      num_channels: 3,
      ...(isDino ? { mlp_ratio: ffn / d } : { intermediate_size: ffn }),
    },
    tensors: {
      'embeddings.cls_token': [1, 1, d],
      'embeddings.position_embeddings': [1, (image / patch) ** 2 + 1, d],
      'embeddings.patch_embeddings.projection.weight': [d, 3, patch, patch],
      'embeddings.patch_embeddings.projection.bias': [d],
      ...layersOf('encoder.layer', layers, layer),
      ...norm('layernorm', d),
    },
  };
}

const clipTower = (name, { d, ffn, layers }) =>
  layersOf(`${name}.encoder.layers`, layers, (layer) => ({
    ...Object.assign(
      {},
      ...['q', 'k', 'v', 'out'].map((one) => linear(`${layer}.self_attn.${one}_proj`, d, d)),
    ),
    ...norm(`${layer}.layer_norm1`, d),
    ...norm(`${layer}.layer_norm2`, d),
    ...linear(`${layer}.mlp.fc1`, ffn, d),
    ...linear(`${layer}.mlp.fc2`, d, ffn),
  }));

/** @param sizes of the `text` and the `vision` tower, and the width of their `projection` */
export function clip({ text, vision, projection }) {
  const fields = ({ d, ffn, layers, heads }) => ({
    hidden_size: d,
    intermediate_size: ffn,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    hidden_act: 'quick_gelu',
    projection_dim: projection,
  });
  const { patch, image } = vision;
  return {
    config: {
      model_type: 'clip',
      architectures: ['CLIPModel'],
      projection_dim: projection,
      text_config: {
        ...fields(text),
        vocab_size: text.vocab,
        max_position_embeddings: text.positions,
        eos_token_id: text.vocab - 1,
      },
      vision_config: { ...fields(vision), patch_size: patch, image_size: image },
    },
    tensors: {
      logit_scale: [],
      ...matrix('text_model.embeddings.token_embedding', text.vocab, text.d),
      ...matrix('text_model.embeddings.position_embedding', text.positions, text.d),
      ...clipTower('text_model', text),
      ...norm('text_model.final_layer_norm', text.d),
      ...matrix('text_projection', projection, text.d),
      'vision_model.embeddings.class_embedding': [vision.d],
      'vision_model.embeddings.patch_embedding.weight': [vision.d, 3, patch, patch],
      ...matrix('vision_model.embeddings.position_embedding', (image / patch) ** 2 + 1, vision.d),
      ...norm('vision_model.pre_layrnorm', vision.d),
      ...clipTower('vision_model', vision),
      ...norm('vision_model.post_layernorm', vision.d),
      ...matrix('visual_projection', projection, vision.d),
    },
  };
}
