/** TrOCR's decoder (Li et al. 2021): BART's, over the states of a picture; part of a pair of stacks. */

import { readActivation } from '../plans/activations.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { asEmbedding, type NameTable, positionsFrom } from '../plans/renaming.js';
import { stackOf } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { bartLayers } from './bart_like.js';
import { planDecoder } from './decoder_like.js';

/** Row of the position table for position 0, a legacy of Fairseq. */
const firstRow = 2;

/** The reference implementation grows its computed table on demand; ours has at least this many rows. */
const leastPositions = 1024;

const table: NameTable = {
  prefixes: ['model.'],
  names: {
    'decoder.embed_tokens': asEmbedding('decoder.embedding'),
    ...bartLayers,
    'decoder.embed_positions': positionsFrom(firstRow, 'decoder.positions'),
    output_projection: 'projection',
  },
};

export const trocr: Family = {
  modelTypes: ['trocr'],
  tokenizer: kinds.robertaBytes,
  defaults: {
    vocab_size: 50265,
    d_model: 1024,
    decoder_layers: 12,
    decoder_attention_heads: 16,
    decoder_ffn_dim: 4096,
    activation_function: 'gelu',
    max_position_embeddings: 512,
    scale_embedding: false,
    use_learned_position_embeddings: true,
    layernorm_embedding: true,
    tie_word_embeddings: true,
    bos_token_id: 0,
    pad_token_id: 1,
    eos_token_id: 2,
    decoder_start_token_id: 2,
  },
  plan(config, shapes) {
    headOf(config, 'TrOCR', ['ForCausalLM']);
    const fields = fieldsOf(config);
    const dModel = fields.count('d_model');
    const vocab = fields.count('vocab_size');
    const isLearned = fields.flag('use_learned_position_embeddings');
    const length = fields.count('max_position_embeddings');
    const maxLength = isLearned ? length : Math.max(length, leastPositions);
    // The row before position 0 belongs to the padding.
    const offset = fields.count('pad_token_id', undefined, 0) + 1;
    const decoder = {
      ...stackOf({
        numLayers: fields.count('decoder_layers'),
        dModel,
        numHeads: fields.count('decoder_attention_heads'),
        dFf: fields.count('decoder_ffn_dim'),
        activation: readActivation(fields, 'activation_function'),
      }),
      vocab,
      embeddingNorm: fields.flag('layernorm_embedding'),
      positions: isLearned
        ? { learned: { maxLength } }
        : ({ sinusoidal: { maxLength, layout: 'fairseq', offset } } as const),
    };
    const model = {
      decoder,
      ...(fields.flag('scale_embedding') && { embeddingScale: Math.sqrt(dModel) }),
      projection: { vocab, tied: fields.flag('tie_word_embeddings') },
    };
    return planDecoder(fields, shapes, { model, table, maxPositions: maxLength });
  },
};
