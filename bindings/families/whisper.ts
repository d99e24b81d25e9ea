/** Whisper (Radford et al. 2022): mel features through two convolutions, then an encoder and decoder like BART's. */

import { type Family, fieldsOf, headOf, readTokens } from '../plans/family.js';
import { asEmbedding, asTable, type NameTable, nameBefore, renamed, tied } from '../plans/renaming.js';
import { preNorm, type StackName, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { bartDefaults, bartLayers, bartStack, bartTables } from './bart_like.js';
import { convolution } from './convolution.js';

const table: NameTable = {
  prefixes: ['model.'],
  names: {
    ...bartLayers,
    'encoder.conv1': convolution('front.conv1'),
    'encoder.conv2': convolution('front.conv2'),
    'encoder.embed_positions': asTable('encoder.positions'),
    'decoder.embed_positions': asTable('decoder.positions'),
    'decoder.embed_tokens': asEmbedding('decoder.embedding'),
    proj_out: 'projection',
  },
};

export const whisper: Family = {
  modelTypes: ['whisper'],
  tokenizer: kinds.whisperBytes,
  defaults: {
    ...bartDefaults,
    vocab_size: 51865,
    num_mel_bins: 80,
    d_model: 384,
    encoder_layers: 4,
    encoder_attention_heads: 6,
    encoder_ffn_dim: 1536,
    decoder_layers: 4,
    decoder_attention_heads: 6,
    decoder_ffn_dim: 1536,
    max_source_positions: 1500,
    max_target_positions: 448,
    pad_token_id: 50256,
    bos_token_id: 50256,
    eos_token_id: 50256,
    decoder_start_token_id: 50257,
    begin_suppress_tokens: [220, 50256],
  },
  plan(config, shapes) {
    headOf(config, 'Whisper', ['ForConditionalGeneration']);
    // The reference implementation reads scale_embedding, but does not scale.
    const fields = fieldsOf({ ...config, scale_embedding: false });
    const tables = bartTables(fields);
    const sourcePositions = fields.count('max_source_positions');
    const maxLength = fields.count('max_target_positions');
    const outWidth = fields.count('d_model');
    const convolved = { outWidth, window: 3, padding: 1, activation: 'gelu' } as const;
    const stack = (name: StackName, length: number) => ({
      ...withLayer(preNorm(bartStack(fields, name)), { attention: { unbiased: 'k' } }),
      positions: { learned: { maxLength: length } },
    });
    return {
      model: {
        ...tables,
        shareEmbeddings: false,
        front: {
          frames: {
            bands: fields.count('num_mel_bins'),
            frames: 2 * sourcePositions,
            convolutions: [
              { name: 'conv1', stride: 1, ...convolved },
              { name: 'conv2', stride: 2, ...convolved },
            ],
          },
        },
        // Over the vectors that the convolutions produce.
        encoder: { ...stack('encoder', sourcePositions), vocab: 0 },
        decoder: stack('decoder', maxLength),
      },
      slices: tied(renamed(shapes, table), tables.projection.tied === true && 'decoder.embedding.weight'),
      tokens: readTokens(fields),
      maxPositions: maxLength,
      storedName: (name) => nameBefore(name, table),
    };
  },
};
