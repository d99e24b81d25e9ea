/** One pass through the model, the decoder fed with what the caller gives it (teacher forcing). */

import { fail } from '../engine/errors.js';
import { type MaskLike, toMask } from '../engine/masks.js';
import { checkNames, toBoolean, toObject } from '../engine/options.js';
import { asTensor, type Tensor, type TensorData, type TensorLike, toIds } from '../engine/tensor.js';
import { checkIds, hasDecoder, hasEncoder, type Loaded, namesOf } from './loaded.js';
import type { Attentions } from './results.js';

/** What goes through the model: token ids `[batch, time]`, and masks of the same shape, 1 or `true` = may be attended to. */
export interface ForwardInputs {
  inputIds: TensorLike;
  /** For padding on the right; default: everything may be attended to. */
  attentionMask?: MaskLike;
  /** What the decoder reads, its start token first. Wanted by models with an encoder and a decoder. */
  decoderInputIds?: TensorLike;
  decoderAttentionMask?: MaskLike;
}

export interface ForwardOptions {
  /** Also the attention weights, a tensor a layer. */
  outputAttentions?: boolean;
  /** Also what goes into the first layer and comes out of each, a tensor each. */
  outputHiddenStates?: boolean;
}

/** What came out. Entries that the model does not have, or that were not asked for, are missing. */
export interface ForwardOutput {
  /** [batch, time, vocabulary]: scores of each token's successor, where the model has an output projection. */
  logits?: Tensor;
  /** [batch, time, dModel], of a model without output projection. */
  lastHiddenState?: Tensor;
  /** [batch, source, dModel] */
  encoderLastHiddenState?: Tensor;
  /** [batch, heads, source, source] */
  encoderAttentions?: Tensor[];
  /** [batch, heads, time, time] */
  decoderAttentions?: Tensor[];
  /** [batch, heads, time, source] */
  crossAttentions?: Tensor[];
  /** [batch, source, dModel] each: what goes into the first layer, then what each gives, the last after the final norm */
  encoderHiddenStates?: Tensor[];
  /** [batch, time, dModel] each */
  decoderHiddenStates?: Tensor[];
  /** Of a model with one stack: [batch, heads, time, time]. */
  attentions?: Tensor[];
  /** Of a model with one stack: [batch, time, dModel] each. */
  hiddenStates?: Tensor[];
}

/** As the engine gives it. */
interface EngineOutput {
  readonly output?: TensorData;
  readonly logits?: TensorData;
  readonly encoderOutput?: TensorData;
  readonly encoderAttentions?: TensorData[];
  readonly decoderAttentions?: TensorData[];
  readonly crossAttentions?: TensorData[];
  readonly encoderHiddenStates?: TensorData[];
  readonly decoderHiddenStates?: TensorData[];
}

/** @throws TransformerError `invalid_argument`, `unsupported` */
export async function forward(
  model: Loaded,
  inputs: ForwardInputs,
  options: ForwardOptions,
): Promise<ForwardOutput> {
  checkInputs(inputs);
  const given = toObject(options, 'options');
  checkNames(given, ['outputAttentions', 'outputHiddenStates'], 'options');
  const isAsked = (name: string) => given[name] !== undefined && toBoolean(given[name], name);
  const outputs = {
    outputAttentions: isAsked('outputAttentions'),
    outputHiddenStates: isAsked('outputHiddenStates'),
  };
  const output = await (hasEncoder(model) && hasDecoder(model)
    ? throughBothStacks(model, inputs, outputs)
    : throughOneStack(model, inputs, outputs));
  return withTensors(output);
}

async function throughBothStacks(
  model: Loaded,
  inputs: ForwardInputs,
  options: ForwardOptions,
): Promise<Output> {
  const { srcVocabSize, tgtVocabSize } = model.plan.engine;
  const source = readIds(model, inputs.inputIds, 'inputIds', srcVocabSize);
  const target = readIds(model, inputs.decoderInputIds, 'decoderInputIds', tgtVocabSize);
  const mask = readMask(inputs.attentionMask, 'attentionMask', source.shape);
  const { output, encoderOutput, ...rest } = await call(model, source, target, {
    ...options,
    srcKeyPaddingMask: mask,
    memoryKeyPaddingMask: mask,
    tgtKeyPaddingMask: readMask(inputs.decoderAttentionMask, 'decoderAttentionMask', target.shape),
    isCausal: true,
  });
  return { ...rest, lastHiddenState: output, encoderLastHiddenState: encoderOutput };
}

async function throughOneStack(
  model: Loaded,
  inputs: ForwardInputs,
  options: ForwardOptions,
): Promise<Output> {
  if (inputs.decoderInputIds !== undefined || inputs.decoderAttentionMask !== undefined) {
    fail(
      'invalid_argument',
      'decoderInputIds and decoderAttentionMask are for models with an encoder and a decoder',
    );
  }
  const { srcVocabSize, tgtVocabSize } = model.plan.engine;
  const decodes = hasDecoder(model);
  const ids = readIds(model, inputs.inputIds, 'inputIds', decodes ? tgtVocabSize : srcVocabSize);
  const mask = readMask(inputs.attentionMask, 'attentionMask', ids.shape);
  const { logits, output, ...rest } = decodes
    ? await call(model, undefined, ids, { ...options, tgtKeyPaddingMask: mask, isCausal: true })
    : await call(model, ids, undefined, { ...options, srcKeyPaddingMask: mask, isCausal: false });
  return {
    logits,
    lastHiddenState: output,
    attentions: rest.encoderAttentions ?? rest.decoderAttentions,
    hiddenStates: rest.encoderHiddenStates ?? rest.decoderHiddenStates,
  };
}

type Output = Partial<Record<keyof ForwardOutput, TensorData | TensorData[] | undefined>>;
type Ids = ReturnType<typeof toIds>;

function call(
  model: Loaded,
  source: Ids | undefined,
  target: Ids | undefined,
  options: object,
): Promise<EngineOutput> {
  return model.host.call(model.transformer, 'forward', source, target, options);
}

/** Ids [batch, time]; a single sequence is a batch of one. */
function readIds(model: Loaded, given: TensorLike | undefined, name: string, vocabulary: number): Ids {
  if (given === undefined) fail('invalid_argument', `${name} is missing`);
  const { data, shape } = toIds(given, name);
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
  const isOne = batch === 1 && shape.length === 1 && shape[0] === time;
  if (!isOne && shape.join() !== `${batch},${time}`) {
    fail('invalid_argument', `${name} has the shape [${shape.join(', ')}], its ids have [${batch}, ${time}]`);
  }
  return { data, shape: [batch, time] };
}

const inputNames = ['inputIds', 'attentionMask', 'decoderInputIds', 'decoderAttentionMask'];
const inputsOfOthers = ['tokenTypeIds', 'inputFeatures', 'pixelValues'];

function checkInputs(inputs: ForwardInputs): void {
  const given = toObject(inputs ?? null, 'the input of forward');
  for (const name of inputsOfOthers) {
    if (given[name] !== undefined) fail('unsupported', `this model takes no ${name}`);
  }
  checkNames(given, inputNames, 'the input of forward');
}

/** The entries that are there, as tensors. */
function withTensors(output: Output): ForwardOutput {
  const present = Object.entries(output).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    present.map(([name, value]) => [name, Array.isArray(value) ? value.map(asTensor) : asTensor(value)]),
  );
}

/** The attention weights of a pass over a source and a finished result. */
export async function attentionsOf(
  model: Loaded,
  source: Int32Array | null,
  ids: readonly number[],
  signal?: AbortSignal,
): Promise<Attentions> {
  signal?.throwIfAborted();
  // The last token was written, but never read.
  const read = ids.slice(0, -1);
  const inputs = source ? { inputIds: source, decoderInputIds: read } : { inputIds: read };
  const output = await forward(model, inputs, { outputAttentions: true });
  const axes = {
    source: source ? namesOf(model, source) : [],
    decoder: namesOf(model, read),
    written: namesOf(model, ids.slice(1)),
  };
  const { encoderAttentions, decoderAttentions, crossAttentions, attentions } = output;
  return source
    ? { encoderAttentions, decoderAttentions, crossAttentions, axes }
    : { decoderAttentions: attentions, axes };
}
