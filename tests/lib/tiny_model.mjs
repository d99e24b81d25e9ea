// A model of some kilobytes in our own format, with random weights and a tokenizer of two dozen words. It knows no
// language, but supports everything that a model can do.

import { randomNumbers } from './random.mjs';
import { writeSafetensors } from './safetensors.mjs';

export const specials = ['<pad>', '<unk>', '<s>', '</s>'];
const words =
  'the cat dog sat ran on mat big red house we i am like . , ! le chat chien est sur tapis ##s ##ing grand'.split(
    ' ',
  );
export const vocabulary = [...specials, ...words];

export const tinyConfig = {
  model_type: 'transformer',
  d_model: 16,
  num_heads: 2,
  d_ff: 24,
  num_encoder_layers: 2,
  num_decoder_layers: 2,
  norm: 'post',
  activation: 'relu',
  layer_norm_eps: 1e-5,
  positions: 'sinusoidal',
  max_length: 24,
  vocab_size: vocabulary.length,
  tie_embeddings: false,
  scale_embedding: false,
  final_norm: true,
  bias: true,
  pad_token_id: 0,
  unk_token_id: 1,
  bos_token_id: 2,
  eos_token_id: 3,
  decoder_start_token_id: 2,
};

/** The shapes that the config requires, under PyTorch's names. */
export function tensorShapes(config) {
  const { d_model: d, d_ff: f, vocab_size: vocab } = config;
  const shapes = new Map([['embedding.weight', [vocab, d]]]);
  const add = (prefix, entries) => {
    for (const [name, shape] of Object.entries(entries)) shapes.set(`${prefix}.${name}`, shape);
  };
  const attention = (prefix) =>
    add(prefix, {
      in_proj_weight: [3 * d, d],
      in_proj_bias: [3 * d],
      'out_proj.weight': [d, d],
      'out_proj.bias': [d],
    });
  const norm = (prefix) => add(prefix, { weight: [d], bias: [d] });
  const stack = (name, layers, attentions) => {
    for (let i = 0; i < layers; i++) {
      const layer = `${name}.layers.${i}`;
      for (const part of attentions) attention(`${layer}.${part}`);
      add(layer, {
        'linear1.weight': [f, d],
        'linear1.bias': [f],
        'linear2.weight': [d, f],
        'linear2.bias': [d],
      });
      for (let n = 1; n <= attentions.length + 1; n++) norm(`${layer}.norm${n}`);
    }
    if (config.final_norm && layers > 0) norm(`${name}.norm`);
  };
  if (!config.tie_embeddings && config.num_decoder_layers > 0) {
    add('projection', { weight: [vocab, d], bias: [vocab] });
  }
  const crosses = config.num_encoder_layers > 0;
  stack('encoder', config.num_encoder_layers, ['self_attn']);
  stack('decoder', config.num_decoder_layers, crosses ? ['self_attn', 'multihead_attn'] : ['self_attn']);
  return shapes;
}

/** @returns {Map<string, { shape: number[], data: Float32Array }>} */
export function tinyTensors(config, seed = 378) {
  const random = randomNumbers(seed);
  const tensors = new Map();
  for (const [name, shape] of tensorShapes(config)) {
    const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
    const isNorm = /norm\d?\.weight$/.test(name);
    // The last token has the largest weight, so that generated texts vary instead of repeating one word.
    const scale = name === 'embedding.weight' ? 4 : 1 / Math.sqrt(shape.at(-1));
    for (let i = 0; i < data.length; i++) {
      data[i] = isNorm ? 1 + 0.2 * random.normal() : random.normal() * (name.endsWith('bias') ? 0.2 : scale);
    }
    tensors.set(name, { shape, data });
  }
  return tensors;
}

const replace = (from, content) => ({ type: 'Replace', pattern: { String: from }, content });

export const tokenizerJson = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: specials.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: content !== '<unk>',
  })),
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: {
    type: 'Split',
    pattern: { Regex: '[\\p{L}\\p{N}]+|[^\\s]' },
    behavior: 'Removed',
    invert: true,
  },
  post_processor: {
    type: 'TemplateProcessing',
    single: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }],
    pair: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }],
    special_tokens: { '</s>': { id: '</s>', ids: [3], tokens: ['</s>'] } },
  },
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'WordPiece', prefix: '##', cleanup: false },
      { type: 'Fuse' },
      replace(' .', '.'),
      replace(' ,', ','),
    ],
  },
  model: {
    type: 'WordPiece',
    unk_token: '<unk>',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
  },
};

const json = (value) => new TextEncoder().encode(JSON.stringify(value));

/** The files of a model, as `loadModel` takes them. */
export function tinyModel({ config = {}, seed = 378, tokenizer = true, generation, tensors } = {}) {
  const full = { ...tinyConfig, ...config };
  const files = new Map([
    ['config.json', json(full)],
    ['model.safetensors', writeSafetensors(tensors ?? tinyTensors(full, seed))],
  ]);
  if (generation) files.set('generation_config.json', json(generation));
  if (tokenizer) {
    files.set('tokenizer.json', json(tokenizerJson));
    files.set('tokenizer_config.json', json({ clean_up_tokenization_spaces: false }));
  }
  return files;
}
