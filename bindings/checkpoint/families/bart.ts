/** BART: norms after each block and after the embedding, learned positions of which the first two rows are not used. */

import type { EngineConfig } from '../../engine/engine_config.js';
import type { Fields } from '../json/fields.js';
import { robertaBytes } from '../tokenizers/kinds.js';
import type { Shapes } from '../weights/slices.js';
import { bartDefaults, bartEngine, bartLayers, bartProjection, sharedEmbedding } from './bart_like.js';
import { type Family, fieldsOf, headOf, type Plan, readTokens } from './family.js';
import { type NameTable, nameBefore, positionsFrom, renamed, tied } from './renaming.js';

/** Position 0 is row 2 of the table: what Fairseq's padding id has left behind. */
const offset = 2;

const table: NameTable = {
  prefixes: ['model.'],
  names: {
    ...sharedEmbedding,
    ...bartLayers,
    ...bartProjection,
    'encoder.embed_positions': positionsFrom(offset, 'encoder.positions'),
    'decoder.embed_positions': positionsFrom(offset, 'decoder.positions'),
  },
};

/** BART and mBART, which differ in their norms alone. */
export function planBart(fields: Fields, shapes: Shapes, norms: Partial<EngineConfig>): Plan {
  const engine = bartEngine(fields);
  const slices = tied(renamed(shapes, table), engine.tieEmbeddings && 'embedding.weight');
  const maxLength = fields.count('max_position_embeddings');
  return {
    engine: {
      ...engine,
      embeddingNorm: true,
      positions: 'learned',
      maxLength,
      projectionBias: slices.some(({ name }) => name === 'projection.bias'),
      ...norms,
    },
    slices,
    tokens: readTokens(fields),
    maxPositions: maxLength,
    storedName: (name) => nameBefore(name, table),
  };
}

export const bart: Family = {
  modelTypes: ['bart'],
  tokenizer: robertaBytes,
  defaults: {
    ...bartDefaults,
    vocab_size: 50265,
    bos_token_id: 0,
    pad_token_id: 1,
    eos_token_id: 2,
    decoder_start_token_id: 2,
    forced_eos_token_id: 2,
  },
  plan(config, shapes) {
    headOf(config, 'Bart', ['ForConditionalGeneration']);
    return planBart(fieldsOf(config), shapes, { norm: 'post' });
  },
};
