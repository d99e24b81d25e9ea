/**
 * Recurrent encoder-decoders with attention, in our own format: `model_type` `"recurrent"`. Bahdanau et al. 2015
 * (`"decoder": "bahdanau"`) and Luong et al. 2015 (`"luong"`), with cells named as in PyTorch's `nn.GRU` and `nn.LSTM`.
 */

import { type Family, fieldsOf, readAligning, readCopying, readTokens } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import type { Shapes, Slice } from '../weights/slices.js';

export const recurrent: Family = {
  modelTypes: ['recurrent'],
  tokenizer: kinds.onlyJson,
  plan(config, shapes) {
    const fields = fieldsOf(config);
    const vocab = fields.has('vocab_size') ? fields.count('vocab_size') : undefined;
    const tieEmbeddings = fields.flag('tie_embeddings', false);
    return {
      model: {
        recurrent: {
          design: fields.choice('decoder', ['bahdanau', 'luong']),
          cell: fields.choice('cell', ['gru', 'lstm']),
          srcVocabSize: fields.count('src_vocab_size', vocab),
          tgtVocabSize: fields.count('tgt_vocab_size', vocab),
          dEmbedding: fields.count('d_embedding'),
          hiddenSize: fields.count('hidden_size'),
          numLayers: fields.count('num_layers', 1),
          bidirectional: fields.flag('bidirectional', false),
          score: fields.choice('score', ['dot', 'general', 'concat', 'none']),
          dAttention: fields.count('d_attention', 0, 0),
          window: fields.count('window', 0, 0),
          dReadout: fields.count('d_readout'),
          maxout: fields.flag('maxout', false),
          shareEmbeddings: fields.flag('share_embeddings', false),
          tieEmbeddings,
          projectionBias: fields.flag('projection_bias', false),
        },
      },
      slices: slicesOf(shapes, tieEmbeddings),
      tokens: readTokens(fields),
      maxPositions: null,
      // The readout is not the state of a layer.
      statesBeforeNorm: 'encoder decoder',
      copying: readCopying(fields),
      aligning: readAligning(fields),
      storedName: (name) => name,
    };
  },
};

/** The file's names are the engine's; a second copy of a tied projection is not read. */
function slicesOf(shapes: Shapes, tieEmbeddings: boolean): Slice[] {
  const isRead = (name: string) =>
    !name.endsWith('_scale') && !(tieEmbeddings && name === 'projection.weight');
  const names = [...shapes].filter(([name]) => isRead(name));
  return names.map(([name, shape]) => ({
    name,
    from: name,
    firstRow: 0,
    rows: null,
    shape,
    purpose: /(^|\.)embedding\.weight$/.test(name) ? 'embedding' : 'factor',
  }));
}
