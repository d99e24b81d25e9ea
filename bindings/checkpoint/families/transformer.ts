/**
 * Our own format: `model_type` `"transformer"`, and tensors named as PyTorch's `nn.Transformer` names them, with the
 * embedding in front and the output projection behind. With one stack only it is an `nn.TransformerEncoder`.
 */

import { defaultEngineConfig } from '../../engine/engine_config.js';
import { fail } from '../../engine/errors.js';
import { Fields } from '../json/fields.js';
import { onlyJson } from '../tokenizers/kinds.js';
import type { Slice } from '../weights/slices.js';
import type { Family } from './family.js';
import { transformerSlices } from './torch_names.js';

const positionSchemes = ['none', 'sinusoidal', 'learned', 'rotary', 'alibi'] as const;
const activations = ['relu', 'gelu', 'gelu_tanh', 'silu'] as const;

export const transformer: Family = {
  modelTypes: ['transformer'],
  tokenizer: onlyJson,
  plan(config, shapes) {
    const fields = new Fields(config, 'config.json');
    const stacks = readStacks(fields);
    const all = transformerSlices(shapes, stacks.only);
    const stored = new Set(all.map((slice) => slice.name));
    const tieEmbeddings = fields.flag('tie_embeddings', false);
    const dModel = fields.count('d_model');
    const embeddings = fields.flag('embeddings', true);
    const positions = fields.choice('positions', positionSchemes, 'sinusoidal');
    const isLimited = ['sinusoidal', 'learned', 'rotary'].includes(positions);
    const maxLength = isLimited ? fields.count('max_length') : 0;
    const hasNorm = (stack: 'encoder' | 'decoder') =>
      stacks[stack] > 0 && fields.flag('final_norm', stored.has(`${stack}.norm.weight`));
    const isWanted = ({ name }: Slice) => {
      const [, stack, part, layer] = /^(encoder|decoder)\.(norm|layers)\.(\d+)?/.exec(name) ?? [];
      if (stack !== 'encoder' && stack !== 'decoder') return !(tieEmbeddings && name === 'projection.weight');
      return part === 'norm' ? hasNorm(stack) : Number(layer) < stacks[stack];
    };
    const slices = all.filter(isWanted);
    return {
      engine: {
        ...defaultEngineConfig,
        dModel,
        numHeads: fields.count('num_heads'),
        numKvHeads: fields.count('num_heads'),
        dFf: fields.count('d_ff'),
        kDim: dModel,
        vDim: dModel,
        numEncoderLayers: stacks.encoder,
        numDecoderLayers: stacks.decoder,
        norm: fields.choice('norm', ['post', 'pre'], 'post'),
        // PyTorch's `bias: false` takes the bias of the norms too; other writers keep it.
        normBias: slices.some(({ name }) => /norm\.bias$/.test(name)),
        eps: fields.number('layer_norm_eps', 1e-5),
        activation: fields.choice('activation', activations, 'relu'),
        bias: fields.flag('bias', true),
        embeddings,
        ...(embeddings ? readVocabularies(fields) : { srcVocabSize: 0, tgtVocabSize: 0 }),
        shareEmbeddings: embeddings && stored.has('embedding.weight'),
        embeddingScale: fields.flag('scale_embedding', false) ? Math.sqrt(dModel) : 1,
        positions,
        maxLength,
        encoderNorm: hasNorm('encoder'),
        decoderNorm: hasNorm('decoder'),
        projection: tieEmbeddings || stored.has('projection.weight'),
        projectionBias: stored.has('projection.bias'),
        tieEmbeddings,
      },
      slices,
      tokens: {
        pad: fields.id('pad_token_id'),
        unk: fields.id('unk_token_id'),
        decoderStart: stacks.only ? null : (fields.id('decoder_start_token_id') ?? fields.id('bos_token_id')),
      },
      maxPositions: isLimited ? maxLength : null,
    };
  },
};

function readStacks(fields: Fields): { encoder: number; decoder: number; only?: 'encoder' | 'decoder' } {
  const encoder = fields.count('num_encoder_layers', undefined, 0);
  const decoder = fields.count('num_decoder_layers', undefined, 0);
  if (encoder === 0 && decoder === 0) fail('bad_checkpoint', 'config.json describes a model without layers');
  if (decoder === 0) return { encoder, decoder, only: 'encoder' };
  return encoder === 0 ? { encoder, decoder, only: 'decoder' } : { encoder, decoder };
}

function readVocabularies(fields: Fields): { srcVocabSize: number; tgtVocabSize: number } {
  const shared = fields.has('vocab_size') ? fields.count('vocab_size') : undefined;
  return {
    srcVocabSize: fields.count('src_vocab_size', shared),
    tgtVocabSize: fields.count('tgt_vocab_size', shared),
  };
}
