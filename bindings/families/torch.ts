/**
 * State dicts of PyTorch's `nn.Transformer`, `nn.TransformerEncoder` and `nn.TransformerDecoder`. A state dict records
 * neither the number of heads nor where the norms are, so config.json gives the class under `module` and its
 * constructor arguments under `args` (for a single stack: its layer's arguments under `layer_args`).
 */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import { fieldsOf } from '../plans/family.js';
import { fail } from '../values/errors.js';

/** Whether config.json describes a PyTorch module. */
export const isTorchModule = ({ model_type: modelType, module }: JsonObject): boolean =>
  modelType === undefined && typeof module === 'string' && /nn\.Transformer(Encoder|Decoder)?$/.test(module);

/** Translates PyTorch's constructor arguments to the fields of our own config.json. */
export function configOfTorchModule(config: JsonObject): JsonObject {
  const args = { ...objectOf(config.layer_args), ...objectOf(config.args), ...config };
  const fields = fieldsOf(args);
  const hasVocabulary = fields.has('src_vocab_size') || fields.has('vocab_size');
  return {
    ...(hasVocabulary ? vocabularyOf(fields, args) : { embeddings: false, positions: 'none' }),
    model_type: 'transformer',
    d_model: fields.has('d_model') ? fields.count('d_model') : fields.count('emb_size', 512),
    num_heads: fields.count('nhead', 8),
    d_ff: fields.count('dim_feedforward', 2048),
    activation: fields.choice('activation', ['relu', 'gelu'], 'relu'),
    norm: fields.flag('norm_first', false) ? 'pre' : 'post',
    layer_norm_eps: fields.number('layer_norm_eps', 1e-5),
    bias: fields.flag('bias', true),
    ...stacksOf(String(config.module), fields),
  };
}

function stacksOf(module: string, fields: Fields): JsonObject {
  const layers = () => fields.count('num_layers');
  if (module.endsWith('Encoder')) return { num_encoder_layers: layers(), num_decoder_layers: 0 };
  if (module.endsWith('Decoder')) {
    return fail(
      'unsupported',
      'a decoder that needs an encoder output (memory) cannot be loaded as a model; build it with engine.transformer',
    );
  }
  return {
    num_encoder_layers: fields.count('num_encoder_layers', 6),
    num_decoder_layers: fields.count('num_decoder_layers', 6),
  };
}

/** A model as in PyTorch's translation tutorial: scaled embeddings, sinusoidal positions, an output layer. */
function vocabularyOf(fields: Fields, args: JsonObject): JsonObject {
  return {
    ...args,
    positions: 'sinusoidal',
    max_length: fields.count('max_len', 5000),
    scale_embedding: true,
    pad_token_id: fields.id('pad'),
    unk_token_id: fields.id('unk'),
    bos_token_id: fields.id('bos'),
    eos_token_id: fields.id('eos'),
  };
}

const objectOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
