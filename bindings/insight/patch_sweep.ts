/** Patches from another sentence, each by itself: see `sweep` in causes.ts. */

import type { Loaded, LoadedModel } from '../checkpoint/loaded.js';
import { outputVocabularyOf } from '../plans/model_shape.js';
import { fail } from '../values/errors.js';
import {
  integerFrom,
  type Reader,
  type ReadersOf,
  readFields,
  toFunction,
  toSignal,
  toText,
} from '../values/options.js';
import { concatenated, isIndex, Tensor } from '../values/tensor.js';
import type { Sweep, SweepOptions } from './cause_types.js';
import type { Edit } from './edits.js';
import { forward } from './forward.js';
import { readSequence, runRows } from './repeated_inputs.js';

const toIndices: Reader<number[]> = (value, name) =>
  Array.isArray(value) && value.length > 0 && value.every(isIndex)
    ? value
    : fail('invalid_argument', `${name} must be a list of whole numbers from 0 on`);

const measureReaders = { position: integerFrom(0), token: integerFrom(0), against: integerFrom(0) };
type Measure = { position: number; token: number; against?: number };

const readers = {
  from: (value: unknown, name: string) => readSequence(value, name),
  at: toText,
  positions: toIndices,
  heads: toIndices,
  keys: toIndices,
  measure: (value: unknown, name: string): Measure => {
    const { position, token, against } = readFields(value, measureReaders, name) as Partial<Measure>;
    if (position === undefined || token === undefined)
      return fail('invalid_argument', `${name} must have position and token`);
    return { position, token, ...(against !== undefined && { against }) };
  },
  onProgress: toFunction<NonNullable<SweepOptions['onProgress']>>,
  signal: toSignal,
} satisfies ReadersOf<SweepOptions>;

interface Patch {
  readonly at: string;
  readonly set: Tensor;
  /** What the sentence has there itself; where a key is patched by itself. */
  readonly own?: Tensor;
  readonly head?: number;
  readonly position: number;
  readonly key?: number;
}

export async function patchSweep(
  { loaded: model }: LoadedModel,
  inputs: unknown,
  options: unknown,
): Promise<Sweep> {
  const sequence = readSequence(inputs);
  const { from, at, measure, positions, heads, keys, onProgress, signal } = readFields(options, readers);
  if (!from || !at || !measure) return fail('invalid_argument', 'options must have from, at and measure');
  const measured = (output: { logits?: Tensor }) => measuresOf(model, output.logits, measure);
  const { trace: own = {}, ...here } = await forward(model, sequence, keys ? { trace: [at] } : {});
  const [base = 0] = await measured(here);
  const { trace = {}, ...there } = await forward(model, from, { trace: [at] });
  const [other = 0] = await measured(there);
  const paths = Object.keys(trace);
  const time = (tensor: Tensor) => tensor.shape.at(-2) ?? 0;
  const longest = Math.max(...Object.values(trace).map(time));
  const beyond = positions?.find((position) => position >= longest);
  if (beyond !== undefined) fail('invalid_argument', `sweep: there is no position ${beyond} of ${longest}`);
  const places = positions ?? Array.from({ length: longest }, (_, position) => position);
  const patches = paths.flatMap((path) => {
    const set = trace[path] ?? fail('internal', `${path} was not traced`);
    const patch = keys ? { at: path, set, own: ownMap(own[path], path, keys) } : { at: path, set };
    return (heads ?? [undefined]).flatMap((head) =>
      places.flatMap((position) =>
        (keys ?? [undefined]).map((key) => ({ ...patch, head, position, key }) as Patch),
      ),
    );
  });
  const values = await runRows(model, sequence, {
    rows: patches,
    rowSize:
      outputVocabularyOf(model.plan) * ((sequence.decoderInputIds ?? sequence.inputIds)?.[0]?.length ?? 1),
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
    editsOf: (rows) => rows.map(editOf),
    read: measured,
  });
  const effects = Float32Array.from(values.flat(), (value) => value - base);
  const shape = [paths, heads, places, keys].flatMap((axis) => (axis ? [axis.length] : []));
  return {
    paths,
    positions: places,
    heads: heads ?? null,
    keys: keys ?? null,
    effects: new Tensor(effects, shape),
    base,
    other,
  };
}

/** @throws TransformerError `invalid_argument` unless it has a value for each query and key, and those keys */
function ownMap(own: Tensor | undefined, path: string, keys: readonly number[]): Tensor {
  const [, , , count] = own?.shape ?? [];
  if (!own || count === undefined) return fail('invalid_argument', `sweep: ${path} has no keys`);
  const beyond = keys.find((key) => key >= count);
  if (beyond !== undefined) fail('invalid_argument', `sweep: there is no key ${beyond} of ${count}`);
  return own;
}

const editOf = (patch: Patch, row: number): Edit => ({
  at: patch.at,
  rows: [row],
  positions: [patch.position],
  ...(patch.head !== undefined && { heads: [patch.head] }),
  set:
    patch.own && patch.key !== undefined ? withKey({ ...patch, own: patch.own, key: patch.key }) : patch.set,
});

/** The sentence's own query, as [heads, 1, keys], with one key of the other's. */
function withKey({ own, set, head, position, key }: Patch & { own: Tensor; key: number }): Tensor {
  const [, heads = 0, queries = 0, keys = 0] = own.shape;
  const chosen = head === undefined ? Array.from({ length: heads }, (_, i) => i) : [head];
  const rows = chosen.map((one) => {
    const first = (one * queries + position) * keys;
    const row = own.data.slice(first, first + keys) as Float32Array;
    row[key] = set.data[first + key] ?? 0;
    return row;
  });
  return new Tensor(concatenated(rows), [chosen.length, 1, keys]);
}

/** Of each row of a pass. */
async function measuresOf(
  { host }: Loaded,
  logits: Tensor | undefined,
  { position, token, against }: Measure,
) {
  const { data, shape } = logits ?? fail('unsupported', 'sweep: the model has no logits');
  const [batch = 0, time = 0, vocab = 0] = shape;
  if (shape.length !== 3) fail('unsupported', 'sweep: the model has no logits of tokens');
  if (position >= time) fail('invalid_argument', `sweep: there is no position ${position} of ${time}`);
  for (const id of [token, against ?? 0])
    if (id >= vocab) fail('invalid_argument', `sweep: there is no token ${id} of ${vocab}`);
  const rows = Array.from({ length: batch }, (_, row) => {
    const first = (row * time + position) * vocab;
    return data.subarray(first, first + vocab);
  });
  const logit = (row: Float32Array, id: number) => row[id] ?? 0;
  if (against !== undefined) return rows.map((row) => logit(row, token) - logit(row, against));
  const { data: likely } = await host.call('softmax', { data: concatenated(rows), shape: [batch, vocab] });
  return rows.map((_, row) => logOf(likely[row * vocab + token]));
}

/** Of 0 that of the smallest float above it. */
const logOf = (probability: number | undefined) => Math.log(probability || 2 ** -149);
