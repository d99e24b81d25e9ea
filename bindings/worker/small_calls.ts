/** Which calls of building blocks and layers are small, by an estimate of their time on one core. */

import type { Call, FunctionArgs, FunctionName } from '../engine/calls.js';
import { fail } from '../values/errors.js';
import { elements } from '../values/tensor.js';

/**
 * Times are counted in multiply-adds of a matrix product, of which a core does ten to twenty a nanosecond: this many
 * take as long as a number that is copied into the engine, or into fresh memory of the page, and so on.
 */
const ofArgument = 12;
const ofResult = 32;
const ofExponential = 16;
const ofTanh = 16;
const ofSine = 250;
const ofPacked = 12;
const ofMatrix = 5000;
/** A number of a row of queries, for each row of keys: two products, and the softmax of scores that heads share. */
const ofAttention = 3;

/** The number of columns in a panel of a packed matrix. */
const panel = 16;

/** The cost per parameter of reading a layer's weights from beyond the first-level cache, for one row or two. */
const ofWeight = 1;

/** About half a millisecond: more than eight heads of 64 queries and 64 keys take. */
const most = 10e6;

/** The way to the worker and back, and what each number of the arguments adds to it. */
const crossing = 1.5e6;
const ofCrossing = 50;

interface Sized {
  readonly shape: readonly number[];
}

const rows = ({ shape }: Sized): number => shape.at(-2) ?? 1;
const columns = ({ shape }: Sized): number => shape.at(-1) ?? 1;

/** The number of matrices that tensors have when their leading axes are broadcast. */
function matrices(...tensors: (Sized | undefined)[]): number {
  const rank = Math.max(...tensors.map((tensor) => tensor?.shape.length ?? 0));
  let count = 1;
  for (let axis = 3; axis <= rank; axis++)
    count *= Math.max(...tensors.map((tensor) => tensor?.shape.at(-axis) ?? 1));
  return count;
}

/** [m, k] by [k, n], which is packed before. */
const product = (m: number, k: number, n: number): number =>
  ofMatrix + (m + ofPacked) * k * Math.max(n, panel);

/** From scores that take so long each, which are results as a rule, to the values weighted by their softmax. */
function weighted(score: number, queries: Sized, keys: Sized, values: Sized): number {
  const results = ofResult * rows(queries) * columns(values);
  return (
    (score + ofExponential) * rows(queries) * rows(keys) +
    product(rows(queries), rows(keys), columns(values)) +
    results
  );
}

const perElement = (time: number) => (x: Sized) => time * elements(x.shape);

/** For what the worker is to answer. */
const inWorker = () => Number.POSITIVE_INFINITY;

/** The time of each function, apart from reading its arguments: one that lacks an entry is a type error. */
const times: { readonly [Name in FunctionName]: (...args: FunctionArgs<Name>) => number } = {
  activationBits: inWorker,
  heapBytes: inWorker,
  memoryBytes: inWorker,
  machineLimits: inWorker,
  dtypeOf: inWorker,
  quantizeRows: inWorker,
  softmax: perElement(ofExponential + ofResult),
  layerNorm: perElement(ofResult),
  rmsNorm: perElement(ofResult),
  rotaryEmbedding: perElement(ofSine + ofResult),
  positionalEncoding: (width, { maxLength = 0 }) => (ofSine + ofResult) * width * maxLength,
  alibiBias: (heads, queries, keys) => 2 * ofResult * heads * queries * keys,
  matmul: (a, b) =>
    matrices(a, b) * (product(rows(a), columns(a), columns(b)) + ofResult * rows(a) * columns(b)),
  scaledDotProductAttention: (query, key, value, { mask, bias, needWeights }) =>
    matrices(query, key, value, mask, bias) *
    (product(rows(query), columns(query), rows(key)) +
      weighted(needWeights ? ofResult : 0, query, key, value)),
  additiveAttention: (queries, keys, { Ws = keys, Wh = keys, values = keys }) =>
    matrices(queries, keys, values) *
    (product(rows(queries), columns(queries), rows(Ws)) +
      product(rows(keys), columns(keys), rows(Wh)) +
      weighted(ofTanh * rows(Ws) + 2 * ofResult, queries, keys, values)),
  luongAttention: (queries, keys, { W = keys, values = keys, score }) =>
    matrices(queries, keys, values) *
    (product(rows(queries) + rows(keys), columns(W), rows(W)) +
      product(rows(queries), columns(queries), rows(keys)) +
      weighted((score === 'concat' ? ofTanh * rows(W) : 0) + 2 * ofResult, queries, keys, values)),
};

/** Where a call runs if it is not small. */
interface Elsewhere {
  /** The worker's threads, which share the work. */
  readonly threads: number;
  /** Of the layer that is called, if it may be small. */
  readonly parameterCount?: number | undefined;
}

/** Whether a call blocks the caller's thread briefly, and no longer than the worker and the trip there take. */
export function isSmall(call: Call, { threads, parameterCount }: Elsewhere): boolean {
  if (call.kind === 'create' || call.kind === 'release') return false;
  const work = call.kind === 'call' ? functionTime(call) : layerTime(call, parameterCount);
  if (work > most) return false; // before its numbers are looked for, which may be the megabytes of a checkpoint
  const numbers = numbersIn(call.args);
  const time = ofArgument * numbers + work;
  return time <= most && time - time / threads <= crossing + ofCrossing * numbers;
}

function functionTime({ name, args }: Call & { kind: 'call' }): number {
  // The arguments are those of the function, as Host.call has checked.
  const time = (times as unknown as Record<string, ((...args: readonly unknown[]) => number) | undefined>)[
    name
  ];
  return time?.(...args) ?? fail('internal', `${name} has no estimate of its time`);
}

/**
 * A pass of a layer: at most, each row of its inputs is multiplied by all parameters, and compared with all rows of its
 * sequence. Infinite if it always runs in the worker.
 */
function layerTime({ method, args }: Call & { kind: 'invoke' }, parameterCount?: number): number {
  if (method !== 'forward' || parameterCount === undefined) return Number.POSITIVE_INFINITY;
  let time = ofMatrix + ofWeight * parameterCount;
  for (const input of args.filter(isSized)) {
    const count = elements(input.shape);
    time += (count / columns(input)) * parameterCount + count * (ofResult + ofAttention * rows(input));
  }
  return time;
}

const isSized = (value: unknown): value is Sized =>
  typeof value === 'object' && value !== null && 'shape' in value && Array.isArray(value.shape);

/** The numbers in the typed arrays of a value. */
function numbersIn(value: unknown): number {
  if (value instanceof Float32Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  for (const field of Object.values(value)) sum += numbersIn(field);
  return sum;
}
