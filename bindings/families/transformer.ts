/**
 * Our own format: `model_type` `"transformer"`, tensors named as in PyTorch's `nn.Transformer`, plus the embedding and
 * the output projection. A single stack is named as in `nn.TransformerEncoder`.
 */

import { Fields } from '../files/fields.js';
import { activationNames } from '../plans/activations.js';
import { type Family, readAligning, readCopying } from '../plans/family.js';
import { maxLengthOf, positionSchemes, positionsOf } from '../plans/positions.js';
import type { StackName } from '../plans/stack.js';
import { Found, type TorchModel, transformerOf } from '../plans/torch_model.js';
import { transformerSlices } from '../plans/torch_names.js';
import { kinds } from '../tokenizers/kinds.js';
import { fail } from '../values/errors.js';
import type { Shapes, Slice } from '../weights/slices.js';

export const transformer: Family = {
  modelTypes: ['transformer'],
  tokenizer: kinds.onlyJson,
  plan(config, shapes) {
    const fields = new Fields(config, 'config.json');
    const counts = readCounts(fields);
    const slices = readSlices(fields, counts, shapes);
    // Without any weights, a model that is to be trained.
    const found = new Found(shapes.size > 0 ? slices : undefined);
    const model = transformerOf(readModel(fields, counts), found);
    return {
      model,
      slices,
      tokens: {
        pad: fields.id('pad_token_id'),
        unk: fields.id('unk_token_id'),
        decoderStart: counts.only ? null : (fields.id('decoder_start_token_id') ?? fields.id('bos_token_id')),
      },
      maxPositions: maxLengthOf(model.encoder?.positions),
      copying: readCopying(fields),
      aligning: readAligning(fields),
    };
  },
};

/** The number of layers of each stack. */
interface Counts extends Readonly<Record<StackName, number>> {
  readonly only?: StackName;
}

function readModel(fields: Fields, counts: Counts): TorchModel {
  const positions = fields.choice('positions', positionSchemes, 'sinusoidal');
  const isLimited = maxLengthOf(positionsOf(positions, { maxLength: () => 1 })) !== null;
  return {
    dModel: fields.count('d_model'),
    numHeads: fields.count('num_heads'),
    dFf: fields.count('d_ff'),
    activation: fields.choice('activation', activationNames, 'relu'),
    norm: fields.choice('norm', ['post', 'pre'], 'post'),
    eps: fields.has('layer_norm_eps') ? fields.number('layer_norm_eps') : undefined,
    bias: fields.flag('bias', true),
    attentionScale: fields.has('attention_scale') ? fields.number('attention_scale') : undefined,
    numEncoderLayers: counts.encoder,
    numDecoderLayers: counts.decoder,
    positions,
    maxLength: isLimited ? fields.count('max_length') : undefined,
    scaleEmbedding: fields.flag('scale_embedding', false),
    tieEmbeddings: fields.flag('tie_embeddings', false),
    finalNorm: fields.has('final_norm') ? fields.flag('final_norm') : undefined,
    ...readVocabularies(fields),
  };
}

function readCounts(fields: Fields): Counts {
  const encoder = fields.count('num_encoder_layers', undefined, 0);
  const decoder = fields.count('num_decoder_layers', undefined, 0);
  if (encoder === 0 && decoder === 0) fail('bad_checkpoint', 'config.json describes a model without layers');
  if (decoder === 0) return { encoder, decoder, only: 'encoder' };
  return encoder === 0 ? { encoder, decoder, only: 'decoder' } : { encoder, decoder };
}

/** Vocabulary sizes of both sides; without embeddings the input is vectors. */
function readVocabularies(fields: Fields): Partial<TorchModel> {
  if (!fields.flag('embeddings', true)) return { embeddings: false };
  const shared = fields.has('vocab_size') ? fields.count('vocab_size') : undefined;
  return {
    embeddings: true,
    vocabSize: shared,
    srcVocabSize: fields.count('src_vocab_size', shared),
    tgtVocabSize: fields.count('tgt_vocab_size', shared),
  };
}

/** The tensors that config.json calls for: a file may hold more layers, or a second copy of a tied tensor. */
function readSlices(fields: Fields, counts: Counts, shapes: Shapes): Slice[] {
  const all = transformerSlices(shapes, counts.only);
  return all.filter(({ name }) => {
    const [, stack, part, layer] = /^(encoder|decoder)\.(norm|layers)\.(\d+)?/.exec(name) ?? [];
    if (stack !== 'encoder' && stack !== 'decoder')
      return !(name === 'projection.weight' && fields.flag('tie_embeddings', false));
    if (part === 'norm') return counts[stack] > 0 && hasNorm(fields, stack, all);
    return Number(layer) < counts[stack];
  });
}

/** Whether there is a norm after the last layer. */
const hasNorm = (fields: Fields, stack: StackName, slices: readonly Slice[]) =>
  fields.flag('final_norm', shapeOf(slices, `${stack}.norm.weight`) !== undefined);

const shapeOf = (slices: readonly Slice[], name: string) =>
  slices.find((slice) => slice.name === name)?.shape;
