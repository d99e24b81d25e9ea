/**
 * Compares a model's results with those of another program for the same inputs. The expected tensors have the names of
 * the Python library's outputs (`decoder_hidden_states.2`, `logits`), or paths of inner tensors as for `trace`
 * (`decoder.layers.0.cross_attn.queries`).
 */

import { type ForwardInputs, passInputs } from '../insight/forward_inputs.js';
import type { ForwardOutput } from '../insight/forward_output.js';
import type { Model } from '../model/model.js';
import { elements, Tensor } from '../values/tensor.js';
import type { ExpectedTensor } from './expected_file.js';

type Expected = ReadonlyMap<string, ExpectedTensor>;

/** The comparison of one tensor. */
export interface Line {
  readonly name: string;
  readonly shape: readonly number[];
  /** The largest difference at real positions; `null` if there is no result of the same shape. */
  readonly difference: number | null;
  readonly tolerance: number;
  readonly departs: boolean;
}

export interface Receipt {
  /** In the order of computation. */
  readonly lines: readonly Line[];
  /** The first tensor beyond its tolerance. */
  readonly firstDeparture: string | null;
  /** The part of the model that it belongs to. */
  readonly firstLayer: string | null;
  /** Tensors of the file that are neither inputs nor results. */
  readonly notCompared: readonly string[];
}

export interface Tolerances {
  /** For logits and hidden states. */
  readonly states: number;
  /** For attention weights. */
  readonly attentions: number;
}

/** The Python library's name for a name of ours. */
const pythonic = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** decoder_attention_mask is not an input of the expected pass: it only marks the real positions of the decoder. */
const inputs = new Map(
  Object.keys(passInputs)
    .filter((name) => name !== 'decoderAttentionMask')
    .map((name) => [pythonic(name), name]),
);

/** Sound as a file stores it, which is read as `inputValues`. */
const sound = 'audio_int16';

/** Results that are compared. */
const results = new Map(
  (
    [
      ...['hiddenStates', 'attentions', 'encoderHiddenStates', 'encoderAttentions', 'encoderLastHiddenState'],
      ...['decoderHiddenStates', 'decoderAttentions', 'crossAttentions', 'lastHiddenState', 'poolerOutput'],
      ...['logits', 'startLogits', 'endLogits', 'textFeatures', 'imageFeatures', 'textEmbeds', 'imageEmbeds'],
      ...['logitsPerImage', 'logitsPerText'],
    ] as const satisfies readonly (keyof ForwardOutput)[]
  ).map((ours) => [pythonic(ours), ours]),
);

export async function makeReceipt(
  model: Model,
  expected: Expected,
  tolerances: Tolerances,
): Promise<Receipt> {
  const trace = [...expected.keys()].filter((name) => /^(encoder|decoder)\..*[a-z]$/.test(name));
  const wanted = { outputAttentions: true, outputHiddenStates: true, ...(trace.length > 0 ? { trace } : {}) };
  const output = await model.forward(inputsOf(expected), wanted);
  const found = resultsOf(output);
  const lines = [...expected]
    .filter(([name]) => isResult(name) || trace.includes(name))
    .map(([name, tensor]) => compare(name, tensor, found.get(name), { expected, tolerances }))
    .sort((a, b) => placeOf(a.name) - placeOf(b.name));
  const first = lines.find(({ departs }) => departs);
  const isUsed = (name: string) =>
    inputs.has(name) || name === sound || lines.some((line) => line.name === name);
  return {
    lines,
    firstDeparture: first?.name ?? null,
    firstLayer: first ? layerOf(first.name) : null,
    notCompared: [...expected.keys()].filter((name) => !isUsed(name)),
  };
}

function inputsOf(expected: Expected): ForwardInputs {
  const given = [...inputs].flatMap(([name, ours]) => {
    const tensor = expected.get(name);
    return tensor ? [[ours, tensor] as const] : [];
  });
  const samples = expected.get(sound);
  const values = samples && { ...samples, data: Float32Array.from(samples.data, (one) => one / 32768) };
  return { ...Object.fromEntries(given), ...(values && { inputValues: values }) };
}

const withoutNumber = (name: string) => name.replace(/\.\d+$/, '');
/** Results of one encoder of a model of texts and pictures are named after it. */
const withoutTower = (name: string) => name.replace(/^(text|vision)_/, '');
const isResult = (name: string) => [name, withoutTower(name)].some((one) => results.has(withoutNumber(one)));

function resultsOf(output: ForwardOutput): Map<string, Tensor> {
  const found = new Map(Object.entries(output.trace ?? {}));
  const add = (prefix: string, part: ForwardOutput) => {
    for (const [name, ours] of results) {
      const value = part[ours];
      if (value instanceof Tensor) found.set(`${prefix}${name}`, value);
      else if (Array.isArray(value))
        for (const [i, tensor] of value.entries()) found.set(`${prefix}${name}.${i}`, tensor);
    }
  };
  add('', output);
  const { textModelOutput: text, visionModelOutput: vision } = output;
  // The features have names of their own; where a head makes them, they are the library's pooler_output.
  const pooled = (part: ForwardOutput, features: Tensor | undefined): ForwardOutput =>
    part.poolerOutput || !features ? part : { ...part, poolerOutput: features };
  if (text) {
    add('text_', pooled(text, text.textFeatures));
    add('', onlyFeatures(text));
  }
  if (vision) {
    add('vision_', pooled(vision, vision.imageFeatures));
    add('', onlyFeatures(vision));
  }
  return found;
}

const onlyFeatures = ({ textFeatures, imageFeatures }: ForwardOutput): ForwardOutput => ({
  ...(textFeatures && { textFeatures }),
  ...(imageFeatures && { imageFeatures }),
});

function compare(
  name: string,
  expected: ExpectedTensor,
  found: Tensor | undefined,
  context: { expected: Expected; tolerances: Tolerances },
): Line {
  const areWeights = /(attentions\.\d+|weights)$/.test(name);
  const tolerance = areWeights ? context.tolerances.attentions : context.tolerances.states;
  const isSame = found !== undefined && found.shape.join() === expected.shape.join();
  const difference = isSame ? largestDifference(found, expected, maskOf(name, context.expected)) : null;
  // NaN is beyond any tolerance.
  const departs = !(difference !== null && difference <= tolerance);
  return { name, shape: expected.shape, difference, tolerance, departs };
}

/** The mask of real positions: results at padding are meaningless. */
function maskOf(name: string, expected: Expected): ExpectedTensor | undefined {
  const isOfDecoder = /^(decoder|cross)|^logits|^last_hidden/.test(name) && expected.has('decoder_input_ids');
  return expected.get(isOfDecoder ? 'decoder_attention_mask' : 'attention_mask');
}

/** Masks are [batch, time]; time is axis 1 of hidden states and axis 2 of [batch, heads, queries, keys]. */
function largestDifference(found: Tensor, expected: ExpectedTensor, mask?: ExpectedTensor): number {
  const { shape, data } = expected;
  const axis = shape.length === 4 ? 2 : 1;
  const time = shape[axis] ?? 1;
  const inner = elements(shape.slice(axis + 1));
  const outer = elements(shape.slice(1, axis));
  const isMasked = mask?.shape.join() === `${shape[0]},${time}` && shape.length > 2;
  let largest = 0;
  for (const [i, value] of data.entries()) {
    const place = Math.floor(i / inner);
    const row = Math.floor(place / (time * outer));
    if (isMasked && mask.data[row * time + (place % time)] === 0) continue;
    const difference = Math.abs((found.data[i] ?? Number.NaN) - value);
    if (!(difference <= largest)) largest = difference;
    if (Number.isNaN(largest)) return largest;
  }
  return largest;
}

/** The part of the model that computes a result. */
function layerOf(name: string): string {
  const [, stack = '', kind, number] =
    /^(encoder_|decoder_|cross_)?(hidden_states|attentions)\.(\d+)$/.exec(name) ?? [];
  if (kind === undefined) return name.split('.').slice(0, 3).join('.');
  const of = stack === 'cross_' ? 'decoder.' : stack.replace('_', '.');
  if (kind === 'attentions')
    return `${of}layers.${number}.${stack === 'cross_' ? 'cross_attn' : 'self_attn'}`;
  return number === '0' ? `${of}embeddings` : `${of}layers.${Number(number) - 1}`;
}

/** Sort key for the order of computation: embeddings, then for each layer its parts and its output. */
function placeOf(name: string): number {
  const [number = 0] = (/\d+/.exec(name) ?? []).map(Number);
  const stack = /^(decoder|cross)/.test(name) ? 1 : 0;
  if (/^(encoder_)?last_hidden_state$/.test(name)) return name.startsWith('encoder') ? 0.9e6 : 3e6;
  if (name === 'pooler_output') return 4e6;
  if (/^((start_|end_)?logits$|logits_per_)/.test(name)) return 5e6;
  if (/^(text|image)_(features|embeds)$/.test(name)) return 4e6;
  if (/^(en|de)coder\.embeddings$/.test(name)) return stack * 1e6;
  if (/^(en|de)coder\.output$/.test(name)) return stack * 1e6 + 0.95e6;
  // Hidden state 0 comes before layer 0, hidden state i after layer i - 1.
  const layer = /hidden_states/.test(name) ? number : number + 1;
  const parts = [
    /self_attn|(?<!cross_)attentions/,
    /cross/,
    /feed_forward/,
    /output|residual|hidden_states/,
    /logits/,
  ];
  const part = parts.findIndex((pattern) => pattern.test(name));
  return stack * 1e6 + layer * 10 + Math.max(0, part);
}
