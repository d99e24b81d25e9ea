/**
 * Marian (opus-mt): norms after each block, sinusoidal positions (sines first, then cosines), often two vocabularies.
 */

import { type Family, fieldsOf, headOf, readTokens } from '../plans/family.js';
import { asEmbedding, type NameTable, nameBefore, renamed, tied } from '../plans/renaming.js';
import { kinds } from '../tokenizers/kinds.js';
import {
  bartDefaults,
  bartLayers,
  bartProjection,
  bartStack,
  bartTables,
  sharedEmbedding,
} from './bart_like.js';

const layers = { ...bartLayers, ...bartProjection };
const shared: NameTable = { prefixes: ['model.'], names: { ...sharedEmbedding, ...layers } };
const separate: NameTable = {
  prefixes: ['model.'],
  names: {
    'encoder.embed_tokens': asEmbedding('encoder.embedding'),
    'decoder.embed_tokens': asEmbedding('decoder.embedding'),
    ...layers,
  },
};

export const marian: Family = {
  modelTypes: ['marian'],
  tokenizer: kinds.marianPieces,
  defaults: {
    ...bartDefaults,
    vocab_size: 58101,
    share_encoder_decoder_embeddings: true,
    pad_token_id: 58100,
    decoder_start_token_id: 58100,
    eos_token_id: 0,
    forced_eos_token_id: 0,
  },
  plan(config, shapes) {
    headOf(config, 'Marian', ['MTModel']);
    const fields = fieldsOf(config);
    const shareEmbeddings = fields.flag('share_encoder_decoder_embeddings');
    const table = shareEmbeddings ? shared : separate;
    const { projection, ...tables } = bartTables(fields);
    const target = shareEmbeddings ? 'embedding.weight' : 'decoder.embedding.weight';
    const slices = tied(renamed(shapes, table), projection.tied === true && target);
    const maxLength = fields.count('max_position_embeddings');
    const positions = { sinusoidal: { maxLength, layout: 'halves' } } as const;
    const vocab = fields.count('decoder_vocab_size', fields.count('vocab_size'));
    return {
      model: {
        ...tables,
        shareEmbeddings,
        encoder: { ...bartStack(fields, 'encoder'), positions },
        decoder: { ...bartStack(fields, 'decoder'), positions, vocab },
        projection: { ...projection, vocab, bias: slices.some(({ name }) => name === 'projection.bias') },
      },
      slices,
      tokens: readTokens(fields),
      maxPositions: maxLength,
      storedName: (name) => nameBefore(name, table),
    };
  },
};
