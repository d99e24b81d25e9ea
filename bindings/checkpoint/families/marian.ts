/** Marian (opus-mt): norms after each block, sinusoidal positions with the sines in front, often two vocabularies. */

import { marianPieces } from '../tokenizers/kinds.js';
import { bartDefaults, bartEngine, bartLayers, bartProjection, sharedEmbedding } from './bart_like.js';
import { type Family, fieldsOf, headOf, readTokens } from './family.js';
import { type NameTable, nameBefore, renamed, tied } from './renaming.js';

const layers = { ...bartLayers, ...bartProjection };
const shared: NameTable = { prefixes: ['model.'], names: { ...sharedEmbedding, ...layers } };
const separate: NameTable = {
  prefixes: ['model.'],
  names: {
    'encoder.embed_tokens': 'encoder.embedding',
    'decoder.embed_tokens': 'decoder.embedding',
    ...layers,
  },
};

export const marian: Family = {
  modelTypes: ['marian'],
  tokenizer: marianPieces,
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
    const engine = bartEngine(fields);
    const target = shareEmbeddings ? 'embedding.weight' : 'decoder.embedding.weight';
    const slices = tied(renamed(shapes, table), engine.tieEmbeddings && target);
    const maxLength = fields.count('max_position_embeddings');
    return {
      engine: {
        ...engine,
        shareEmbeddings,
        tgtVocabSize: fields.count('decoder_vocab_size', engine.srcVocabSize),
        projectionBias: slices.some(({ name }) => name === 'projection.bias'),
        positions: 'sinusoidal',
        sinusoidLayout: 'halves',
        maxLength,
      },
      slices,
      tokens: readTokens(fields),
      maxPositions: maxLength,
      storedName: (name) => nameBefore(name, table),
    };
  },
};
