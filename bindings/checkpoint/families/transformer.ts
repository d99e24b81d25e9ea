/**
 * Our own format: `model_type` `"transformer"`, and tensors named as PyTorch's `nn.Transformer` names them, with the
 * embedding in front and the output projection behind. With one stack only it is an `nn.TransformerEncoder`.
 */

import { fail } from '../../engine/errors.js';
import { Fields } from '../json/fields.js';
import { onlyJson } from '../tokenizers/kinds.js';
import type { Shapes, Slice } from '../weights/slices.js';
import { activationNames } from './activations.js';
import type { Family, Plan } from './family.js';
import { maxLengthOf, positionSchemes, positionsOf } from './positions.js';
import { type Stack, type StackName, stackOf, withLayer } from './stack.js';
import { transformerSlices } from './torch_names.js';

export const transformer: Family = {
  modelTypes: ['transformer'],
  tokenizer: onlyJson,
  plan(config, shapes) {
    const fields = new Fields(config, 'config.json');
    const counts = readCounts(fields);
    const slices = readSlices(fields, counts, shapes);
    const vocabularies = readVocabularies(fields);
    const stacks = readStacks(fields, counts, vocabularies, slices);
    const projection = shapeOf(slices, 'projection.weight');
    const isTied = fields.flag('tie_embeddings', false);
    return {
      model: {
        ...stacks,
        shareEmbeddings: vocabularies !== null && shapeOf(slices, 'embedding.weight') !== undefined,
        ...(fields.flag('scale_embedding', false) && {
          embeddingScale: Math.sqrt(fields.count('d_model')),
        }),
        ...((isTied || projection) && {
          projection: {
            vocab: vocabularies?.decoder ?? projection?.[0] ?? 0,
            bias: shapeOf(slices, 'projection.bias') !== undefined,
            tied: isTied,
          },
        }),
      },
      slices,
      tokens: {
        pad: fields.id('pad_token_id'),
        unk: fields.id('unk_token_id'),
        decoderStart: counts.only ? null : (fields.id('decoder_start_token_id') ?? fields.id('bos_token_id')),
      },
      maxPositions: maxLengthOf((stacks.decoder ?? stacks.encoder)?.positions),
    };
  },
};

/** How many layers each stack has. */
interface Counts extends Readonly<Record<StackName, number>> {
  readonly only?: StackName;
}

/** Tokens that each side has; `null`: vectors go in. */
type Vocabularies = Readonly<Record<StackName, number>> | null;

function readStacks(
  fields: Fields,
  counts: Counts,
  vocabularies: Vocabularies,
  slices: readonly Slice[],
): Pick<Plan['model'], StackName> {
  const sizes = {
    dModel: fields.count('d_model'),
    numHeads: fields.count('num_heads'),
    dFf: fields.count('d_ff'),
    activation: fields.choice('activation', activationNames, 'relu'),
    ...(fields.has('layer_norm_eps') && { eps: fields.number('layer_norm_eps') }),
  };
  const layer = {
    normPlace: fields.choice('norm', ['post', 'pre'], 'post'),
    attention: { bias: fields.flag('bias', true) },
    feedForward: { bias: fields.flag('bias', true) },
    // PyTorch's `bias: false` takes the bias of the norms too; other writers keep it.
    norm: { bias: slices.some(({ name }) => /norm\.bias$/.test(name)) },
  };
  const scheme = fields.choice('positions', positionSchemes, 'sinusoidal');
  const stack = (name: StackName): Stack => ({
    ...withLayer(stackOf({ numLayers: counts[name], ...sizes }), layer),
    vocab: vocabularies?.[name] ?? 0,
    positions: positionsOf(scheme, {
      maxLength: () => fields.count('max_length'),
      buckets: shapeOf(slices, `${name}.relative_bias.weight`)?.[0],
    }),
    norm: hasNorm(fields, name, slices),
  });
  return {
    ...(counts.encoder > 0 && { encoder: stack('encoder') }),
    ...(counts.decoder > 0 && { decoder: stack('decoder') }),
  };
}

function readCounts(fields: Fields): Counts {
  const encoder = fields.count('num_encoder_layers', undefined, 0);
  const decoder = fields.count('num_decoder_layers', undefined, 0);
  if (encoder === 0 && decoder === 0) fail('bad_checkpoint', 'config.json describes a model without layers');
  if (decoder === 0) return { encoder, decoder, only: 'encoder' };
  return encoder === 0 ? { encoder, decoder, only: 'decoder' } : { encoder, decoder };
}

function readVocabularies(fields: Fields): Vocabularies {
  if (!fields.flag('embeddings', true)) return null;
  const shared = fields.has('vocab_size') ? fields.count('vocab_size') : undefined;
  return {
    encoder: fields.count('src_vocab_size', shared),
    decoder: fields.count('tgt_vocab_size', shared),
  };
}

/** The tensors that config.json has a use for: a file may hold more layers, and what is tied a second time. */
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

/** Whether a norm stands after the last layer. */
const hasNorm = (fields: Fields, stack: StackName, slices: readonly Slice[]) =>
  fields.flag('final_norm', shapeOf(slices, `${stack}.norm.weight`) !== undefined);

const shapeOf = (slices: readonly Slice[], name: string) =>
  slices.find((slice) => slice.name === name)?.shape;
