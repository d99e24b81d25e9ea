/** The inputs of a pass, token ids or vectors with masks: checked and converted for the engine. */

import { checkIds, hasDecoder, hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import { anyFrontOf, type Front, frontOf, type Media } from '../plans/front_end_config.js';
import { refusesGaps, takesIds, tokenTypesOf, vocabularyOf, widthOf } from '../plans/model_shape.js';
import { fail } from '../values/errors.js';
import { type MaskLike, toMask } from '../values/masks.js';
import { checkNames, toObject } from '../values/options.js';
import { type TensorData, type TensorLike, toIds, toTensor } from '../values/tensor.js';
import { batchOf, mediaOf } from './media.js';
import { refuseGaps, rollLeft, type Shifts, shiftsOf } from './roll.js';

/** Inputs of a pass: token ids `[batch, time]`, and masks of the same shape, 1 or `true` = may be attended to. */
export interface ForwardInputs {
  /** Token ids of the encoder, or of the only stack. */
  inputIds?: TensorLike;
  /**
   * 0 marks padding, usually on the right; default: no padding. For a decoder alone, padding may also be on the left:
   * positions then count from the first real token.
   */
  attentionMask?: MaskLike;
  /** `[batch, time]`: type of each token, for models that distinguish types; default: all 0. */
  tokenTypeIds?: TensorLike;
  /** Token ids of the decoder, start token first. Required by models with an encoder and a decoder. */
  decoderInputIds?: TensorLike;
  decoderAttentionMask?: MaskLike;
  /**
   * [batch, channels, height, width], normalised, for models of images; of SigLIP 2 with any shape, patches
   * [batch, patches, patch * patch * channels].
   */
  pixelValues?: TensorLike;
  /** `[batch, 2]`: rows and columns of patches of each picture, where `pixelValues` are patches. */
  spatialShapes?: TensorLike;
  /** [batch, patches], 0 for padding, where `pixelValues` are patches; default: by `spatialShapes`. */
  pixelAttentionMask?: MaskLike;
  /** `[batch, bands, frames]`, for models of audio. */
  inputFeatures?: TensorLike;
  /** `[batch, samples]` at 16000 Hz, between -1 and 1, for models that read samples; `attentionMask` is alike. */
  inputValues?: TensorLike;
  /** `[batch, time, dModel]`: vectors, for a model without embeddings. */
  inputsEmbeds?: TensorLike;
  decoderInputsEmbeds?: TensorLike;
}

/** The input of one stack, ready for the engine. */
export interface StackInput {
  /** Token ids [batch, time], or vectors [batch, time, dModel]; absent: sound or pictures, in `media`. */
  readonly tokens?: TensorData | { data: Int32Array; shape: number[] };
  readonly media?: Media;
  readonly batch: number;
  readonly mask: TensorData | undefined;
  readonly types: { readonly data: Int32Array; readonly shape: readonly number[] } | undefined;
  /** How far each row is rolled. */
  readonly shifts: Shifts;
}

const takesSource = (model: Loaded) => takesIds(model.plan, hasEncoder(model) ? 'encoder' : 'decoder');
const hasBoth = (model: Loaded) => hasEncoder(model) && hasDecoder(model);
const takesFront = (name: Front['input']) => (model: Loaded) => anyFrontOf(model.plan)?.input === name;
const always = () => true;

/** Every input of a pass, and which models take it. */
export const passInputs: Readonly<Record<keyof ForwardInputs, (model: Loaded) => boolean>> = {
  inputIds: takesSource,
  attentionMask: always,
  tokenTypeIds: ({ plan }) => tokenTypesOf(plan) > 0,
  decoderInputIds: hasBoth,
  decoderAttentionMask: hasBoth,
  pixelValues: takesFront('pixelValues'),
  spatialShapes: takesFront('pixelValues'),
  pixelAttentionMask: takesFront('pixelValues'),
  inputFeatures: takesFront('inputFeatures'),
  inputValues: takesFront('inputValues'),
  inputsEmbeds: (model) => !takesSource(model),
  decoderInputsEmbeds: (model) => hasBoth(model) && !takesIds(model.plan, 'decoder'),
};

/**
 * @throws TransformerError `invalid_argument` for unknown inputs, `unsupported` for those that this model does not
 *   take.
 */
export function checkInputs(model: Loaded, inputs: ForwardInputs): void {
  const given = toObject(inputs ?? null, 'the input of forward');
  checkNames(given, Object.keys(passInputs), 'the input of forward');
  for (const [name, isTaken] of Object.entries(passInputs)) {
    if (given[name] === undefined || isTaken(model)) continue;
    if (isTaken === hasBoth) fail('invalid_argument', `${name} is for models with an encoder and a decoder`);
    fail('unsupported', `this model does not take ${name}`);
  }
}

/** The input of the encoder, or of the only stack. */
export function readInput(model: Loaded, inputs: ForwardInputs): StackInput {
  const { plan } = model;
  const stack = hasEncoder(model) ? 'encoder' : 'decoder';
  const front = frontOf(plan);
  if (front && inputs.inputsEmbeds === undefined) {
    const given = inputs[front.input] ?? fail('invalid_argument', `${front.input} is missing`);
    const media = mediaOf(front, given, inputs);
    return { media, batch: batchOf(front, media), mask: undefined, types: undefined, shifts: null };
  }
  const names = { ids: 'inputIds', vectors: 'inputsEmbeds', mask: 'attentionMask' } as const;
  return takesIds(plan, stack)
    ? readIds(model, inputs, { stack, ...names })
    : readVectors(model, inputs, names);
}

/** The input of the decoder, for a model with both stacks. */
export function readDecoderInput(model: Loaded, inputs: ForwardInputs): StackInput {
  const [ids, vectors, mask] = ['decoderInputIds', 'decoderInputsEmbeds', 'decoderAttentionMask'] as const;
  const names = { ids, vectors, mask };
  const { plan } = model;
  const needsSource = plan.readsSource && inputs.decoderInputIds === undefined;
  const given = needsSource ? { ...inputs, decoderInputIds: shifted(model, inputs) } : inputs;
  return takesIds(plan, 'decoder')
    ? readIds(model, given, { stack: 'decoder', ...names })
    : readVectors(model, inputs, names);
}

/** The source, one place to the right, behind the decoder's start token. */
function shifted({ plan }: Loaded, { inputIds = [] }: ForwardInputs): TensorLike {
  const { data, shape } = toIds(inputIds, 'inputIds');
  const [time = 0] = shape.slice(-1);
  const start =
    plan.tokens.decoderStart ?? fail('bad_checkpoint', 'config.json has no decoder_start_token_id');
  const ids = data.map((_, i) => (i % time === 0 ? start : (data[i - 1] ?? start)));
  return { data: ids, shape };
}

interface Names {
  readonly ids: 'inputIds' | 'decoderInputIds';
  readonly vectors: 'inputsEmbeds' | 'decoderInputsEmbeds';
  readonly mask: 'attentionMask' | 'decoderAttentionMask';
}

function readVectors(model: Loaded, inputs: ForwardInputs, names: Names): StackInput {
  const given = inputs[names.vectors] ?? fail('invalid_argument', `${names.vectors} is missing`);
  const { data, shape } = toTensor(given, names.vectors);
  const dModel = widthOf(model.plan, names.vectors === 'inputsEmbeds' ? 'encoder' : 'decoder');
  if (shape.length < 2 || shape.length > 3 || shape.at(-1) !== dModel || data.length === 0) {
    const wanted = `[batch, time, ${dModel}]`;
    fail('invalid_argument', `${names.vectors} must have the shape ${wanted}, got [${shape.join(', ')}]`);
  }
  const tokens = { data, shape: shape.length === 3 ? shape : [1, ...shape] };
  return {
    tokens,
    batch: tokens.shape[0] ?? 0,
    mask: readMask(inputs[names.mask], names.mask, tokens.shape),
    types: undefined,
    shifts: null,
  };
}

function readIds(
  model: Loaded,
  inputs: ForwardInputs,
  { stack, ids: name, mask: maskName }: Names & { stack: 'encoder' | 'decoder' },
): StackInput {
  const { plan } = model;
  const given = inputs[name] ?? fail('invalid_argument', `${name} is missing`);
  const tokens = checkedIds(model, toIds(given, name), name, vocabularyOf(plan, stack));
  const [, time = 0] = tokens.shape;
  const mask = readMask(inputs[maskName], maskName, tokens.shape);
  const types =
    name === 'inputIds' ? readTypes(inputs.tokenTypeIds, tokens.shape, tokenTypesOf(plan)) : undefined;
  const isPadding = paddingOf(model, tokens.data, mask?.data, { name, maskName, time });
  const shifts = isPadding ? shiftsOf(isPadding, time) : null;
  return {
    batch: tokens.shape[0] ?? 0,
    tokens: { ...tokens, data: rollLeft(tokens.data, time, shifts) },
    mask: mask && { ...mask, data: rollLeft(mask.data, time, shifts) },
    types: types && { ...types, data: rollLeft(types.data, time, shifts) },
    shifts,
  };
}

/** Padding that positions do not count; `null` if each token's position is its index. */
function paddingOf(
  model: Loaded,
  ids: Int32Array,
  mask: Float32Array | undefined,
  { name, maskName, time }: { name: string; maskName: string; time: number },
): boolean[] | null {
  const { countsPositions, tokens } = model.plan;
  if (countsPositions) {
    const isPadding = Array.from(ids, (id) => id === tokens.pad);
    refuseGaps(isPadding, time, name);
    return isPadding;
  }
  if (hasEncoder(model) || !mask) return null;
  const isPadding = Array.from(mask, (allowed) => allowed === 0);
  if (refusesGaps(model.plan)) refuseGaps(isPadding, time, maskName);
  return isPadding;
}

/** Token ids [batch, time]; a single sequence becomes a batch of one. */
function checkedIds(
  model: Loaded,
  { data, shape }: ReturnType<typeof toIds>,
  name: string,
  vocabulary: number,
): ReturnType<typeof toIds> {
  const [time = 0] = shape.slice(-1);
  if (shape.length > 2 || data.length === 0) {
    fail('invalid_argument', `${name} must be token ids [batch, time], got the shape [${shape.join(', ')}]`);
  }
  for (let begin = 0; begin < data.length; begin += time) {
    checkIds(data.subarray(begin, begin + time), name, vocabulary, model.plan.maxPositions);
  }
  return { data, shape: [data.length / time, time] };
}

function readMask(given: MaskLike | undefined, name: string, [batch = 0, time = 0]: readonly number[]) {
  if (given === undefined) return undefined;
  const { data, shape } = toMask(given, name);
  checkShape(shape, [batch, time], name);
  return { data, shape: [batch, time] };
}

function readTypes(given: TensorLike | undefined, [batch = 0, time = 0]: readonly number[], kinds: number) {
  if (given === undefined) return undefined;
  const { data, shape } = toIds(given, 'tokenTypeIds');
  checkShape(shape, [batch, time], 'tokenTypeIds');
  const wrong = data.find((type) => type < 0 || type >= kinds);
  if (wrong !== undefined)
    fail(
      'invalid_argument',
      `tokenTypeIds contains ${wrong}; this model's token types are 0 to ${kinds - 1}`,
    );
  return { data, shape: [batch, time] };
}

function checkShape(shape: readonly number[], [batch = 0, time = 0]: readonly number[], name: string): void {
  const isOne = batch === 1 && shape.length === 1 && shape[0] === time;
  if (!isOne && shape.join() !== `${batch},${time}`) {
    fail(
      'invalid_argument',
      `${name} has the shape [${shape.join(', ')}], but its input has [${batch}, ${time}]`,
    );
  }
}
