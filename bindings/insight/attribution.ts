/** Where a score or a logit comes from: see `attribute` in causes.ts. */

import { hasDecoder, hasEncoder, type Loaded, type LoadedModel } from '../checkpoint/loaded.js';
import type { AttentionConfig, StackConfig } from '../modules/embind.js';
import type { TransformerPlan } from '../plans/family.js';
import type { StackName } from '../plans/stack.js';
import { fail } from '../values/errors.js';
import { choiceOf, integerFrom, type ReadersOf, readFields, toFunction, toSignal } from '../values/options.js';
import { asTensor, concatenated, Tensor } from '../values/tensor.js';
import { nothing, type Place, type Run, type Source, sourcesAt, tracedOf } from './attribution_sources.js';
import type { AttributedPart, Attribution, AttributionQuestion, ScoreQuestion } from './causes.js';
import { forward } from './forward.js';
import { type OneSequence, readSequence, runRows } from './repeated_inputs.js';

const readers = {
  kind: choiceOf(['encoder', 'decoder', 'cross']),
  layer: integerFrom(0),
  head: integerFrom(0),
  query: integerFrom(0),
  key: integerFrom(0),
  position: integerFrom(0),
  token: integerFrom(0),
  against: integerFrom(0),
  onProgress: toFunction<NonNullable<AttributionQuestion['onProgress']>>,
  signal: toSignal,
} satisfies ReadersOf<Required<AttributionQuestion>>;

type Asked = ReturnType<typeof readFields<typeof readers>>;

export async function attribution(
  { loaded }: LoadedModel,
  inputs: unknown,
  options: unknown,
): Promise<Attribution> {
  const asked = readFields(options, readers) as Asked;
  const sequence = readSequence(inputs);
  const work = { model: loaded, sequence, asked };
  return asked.token === undefined ? ofScore(work) : ofLogit(work);
}

interface Work {
  readonly model: Loaded;
  readonly sequence: OneSequence;
  readonly asked: Asked;
}

type Given<Name extends keyof Asked> = { readonly [key in Name]-?: NonNullable<Asked[key]> };

function require<Name extends keyof Asked>(asked: Asked, names: readonly Name[], allowed: readonly string[]) {
  for (const name of names)
    if (asked[name] === undefined) fail('invalid_argument', `options.${name} is missing`);
  for (const name of Object.keys(asked))
    if (!allowed.includes(name))
      fail('invalid_argument', `options.${name} is not for ${names.includes('token' as Name) ? 'a logit' : 'a score'}`);
  return asked as Asked & Given<Name>;
}

/** @throws TransformerError `unsupported`, which names what is not linear, or not a text. */
function stackOf({ plan }: Loaded, name: StackName): StackConfig {
  if ('recurrent' in plan.model) return fail('unsupported', 'attribute: a recurrent model has no residual stream');
  const stack = plan.model[name] as StackConfig | undefined;
  if (!stack?.numLayers) return fail('invalid_argument', `attribute: the model has no ${name}`);
  if (!stack.vocab) fail('unsupported', `attribute: the ${name} reads vectors, not tokens`);
  if (stack.layer.ssru) fail('unsupported', 'attribute: the recurrent unit (SSRU) of this decoder is not linear');
  return stack;
}

const refuse = (isRefused: unknown, what: string) => isRefused && fail('unsupported', `attribute: ${what}`);

async function ofScore({ model, sequence, asked: given }: Work): Promise<Attribution> {
  const names: readonly (keyof ScoreQuestion)[] = ['layer', 'head', 'query', 'key', 'kind', 'onProgress', 'signal'];
  const asked = require(given, ['layer', 'head', 'query', 'key'], names);
  const kind = asked.kind ?? (hasEncoder(model) ? 'encoder' : 'decoder');
  const isCross = kind === 'cross';
  if (isCross && !(hasEncoder(model) && hasDecoder(model)))
    fail('invalid_argument', 'attribute: the model has no cross-attention');
  const place: Place = { stack: isCross ? 'decoder' : kind, layer: asked.layer, isCross };
  const stack = stackOf(model, place.stack);
  const { attention } = stack.layer as { attention: Partial<AttentionConfig> };
  refuse('disentangled' in (stack.positions ?? {}), 'scores of disentangled attention are not q·k alone (DeBERTa)');
  refuse(attention.scoreCap, 'capped scores are not linear (Gemma 2)');
  const target = `${place.stack}.layers.${place.layer}.${isCross ? 'cross' : 'self'}`;
  const run = await explained(model, sequence, [place.stack, ...(isCross ? (['encoder'] as const) : [])], [
    `${target}.scores`,
  ]);
  const score = at(run, `${target}.scores`, [0, asked.head, asked.query, asked.key]);
  if (score === Number.NEGATIVE_INFINITY)
    fail('invalid_argument', `attribute: query ${asked.query} may not attend to key ${asked.key}`);
  const own = sourcesAt(place, run);
  const theirs = isCross
    ? sourcesAt({ stack: 'encoder', layer: Number.POSITIVE_INFINITY, isCross: false }, run)
    : [];
  const parts = await projected({ model, sequence, run, asked, target, sources: [...own, ...theirs] });
  const pairs = await multiplied(model, parts, attention.scale || undefined);
  return scoreOf({ score, distance: parts.distance, pairs, own, theirs: isCross ? theirs : own });
}

/** The run that is explained, with all that its parts are made of. */
async function explained(model: Loaded, sequence: OneSequence, stacks: readonly StackName[], paths: string[]) {
  const trace = [...new Set(stacks)].flatMap((name) => tracedOf(name, stackOf(model, name)));
  const output = await forward(model, sequence, { trace: [...trace, ...paths], skipLogits: true });
  return output.trace as Run;
}

function at(run: Run, path: string, place: readonly number[]): number {
  const { data, shape } = run[path] ?? fail('internal', `${path} was not traced`);
  const index = place.reduce((sum, i, axis) => {
    const size = shape[axis] ?? 0;
    return i < size ? sum * size + i : fail('invalid_argument', `attribute: ${path} is [${shape.join(', ')}], it has no [${place.join(', ')}]`);
  }, 0);
  return data[index] ?? 0;
}

interface Projected {
  /** [rows, dHead] each: of the whole, of nothing, of each source */
  readonly queries: Float32Array;
  readonly keys: Float32Array;
  readonly width: number;
  /** What the score has besides q·k. */
  readonly distance: number;
}

/** The queries and the keys of one head that each source alone would give. */
async function projected(work: {
  readonly model: Loaded;
  readonly sequence: OneSequence;
  readonly run: Run;
  readonly asked: Asked & Given<'head' | 'query' | 'key'>;
  readonly target: string;
  readonly sources: readonly Source[];
}): Promise<Projected> {
  const { model, sequence, run, asked, target, sources } = work;
  const traced = ['queries', 'keys', 'scores'].map((name) => `${target}.${name}`);
  const whole = await forward(model, sequence, { trace: traced, skipLogits: true });
  const heads = whole.trace?.[`${target}.scores`]?.shape[1] ?? 1;
  const width = (whole.trace?.[`${target}.queries`]?.shape[2] ?? 0) / heads;
  const ofHead = (tensor: Tensor | undefined, position: number) => {
    const { data, shape } = tensor ?? fail('internal', 'queries and keys were not traced');
    const [batch = 0, time = 0, columns = 0] = shape;
    const own = Math.floor((asked.head * columns) / (width * heads)) * width;
    return concatenated(
      Array.from({ length: batch }, (_, row) => {
        const first = (row * time + position) * columns + own;
        return data.subarray(first, first + width);
      }),
    );
  };
  const read = ({ trace }: { trace?: Record<string, Tensor> }) => ({
    queries: ofHead(trace?.[`${target}.queries`], asked.query),
    keys: ofHead(trace?.[`${target}.keys`], asked.key),
    trace: trace as Run,
  });
  const passes = await runRows(model, sequence, {
    rows: [undefined, ...sources],
    trace: traced,
    skipLogits: true,
    rowSize: sizeOf(run),
    ...progressOf(asked),
    editsOf: (rows) => [...nothing(run), ...rows.flatMap((source, row) => source?.edits(row) ?? [])],
    read,
  });
  const bare = await forward(model, sequence, {
    edits: [{ at: `${target}.queries`, set: 0 }],
    trace: [`${target}.scores`],
    skipLogits: true,
  });
  const all = [read(whole), ...passes];
  return {
    queries: concatenated(all.map(({ queries }) => queries)),
    keys: concatenated(all.map(({ keys }) => keys)),
    width,
    distance: at(bare.trace as Run, `${target}.scores`, [0, asked.head, asked.query, asked.key]),
  };
}

const progressOf = ({ onProgress, signal }: Asked) => ({
  ...(onProgress && { onProgress }),
  ...(signal && { signal }),
});

/** Floats of the largest tensor of a run. */
const sizeOf = (run: Run) => Object.values(run).reduce((most, { data }) => (data.length > most ? data.length : most), 1);

/** Rows: the whole, the biases, and each source without them, times `scale`. Columns: the whole, nothing, each source. */
function differences(count: number, scale: number) {
  const data = new Float32Array(count * count);
  for (let i = 0; i < count; i++) {
    data[i * count + i] = scale;
    if (i > 1) data[i * count + 1] = -scale;
  }
  return { data, shape: [count, count] };
}

/** [rows, rows]: the product of each part of the query with each part of the key. */
async function multiplied({ host }: Loaded, { queries, keys, width }: Projected, scale = width ** -0.5) {
  const count = queries.length / width;
  const transposed = (given: { data: Float32Array; shape: readonly number[] }) => {
    const [rows = 0, columns = 0] = given.shape;
    const place = (i: number) => (i % rows) * columns + Math.floor(i / rows);
    return { data: Float32Array.from(given.data, (_, i) => given.data[place(i)] ?? 0), shape: [columns, rows] };
  };
  const shape = [count, width];
  const ofQuery = await host.call('matmul', differences(count, scale), { data: queries, shape });
  const ofKey = await host.call('matmul', differences(count, 1), { data: keys, shape });
  return asTensor(await host.call('matmul', ofQuery, transposed(ofKey)));
}

function scoreOf(given: {
  readonly score: number;
  readonly distance: number;
  readonly pairs: Tensor;
  readonly own: readonly Source[];
  readonly theirs: readonly Source[];
}): Attribution {
  const { score, distance, pairs, own, theirs } = given;
  const count = pairs.shape[0] ?? 0;
  const entry = (row: number, column: number) => pairs.data[row * count + column] ?? 0;
  // Rows and columns have the sources of both sides; each side's are told apart by where they stand.
  const places = (sources: readonly Source[], first: number) => [1, ...sources.map((_, i) => first + i)];
  const rows = places(own, 2);
  const columns = places(theirs, own === theirs ? 2 : 2 + own.length);
  const names = (sources: readonly Source[]) => ['biases', ...sources.map(({ name }) => name)];
  const besides: AttributedPart[] = distance === 0 ? [] : [{ source: 'distance', value: distance }];
  const listed = (sources: readonly Source[], values: readonly number[]): AttributedPart[] => [
    ...names(sources).map((source, i) => ({ source, value: values[i] ?? 0 })),
    ...besides,
  ];
  const query = listed(
    own,
    rows.map((row) => entry(row, 0)),
  );
  const key = listed(
    theirs,
    columns.map((column) => entry(0, column)),
  );
  return {
    value: score,
    parts: key,
    queryParts: query,
    pairs: new Tensor(
      Float32Array.from(rows.flatMap((row) => columns.map((column) => entry(row, column)))),
      [rows.length, columns.length],
    ),
    rounding: score - total(key),
  };
}

const total = (parts: readonly AttributedPart[]) => parts.reduce((sum, { value }) => sum + value, 0);

async function ofLogit({ model, sequence, asked: given }: Work): Promise<Attribution> {
  const names = ['position', 'token', 'against', 'onProgress', 'signal'];
  const asked = require(given, ['position', 'token'], names);
  const { model: plan } = model.plan as TransformerPlan;
  const stack: StackName = hasDecoder(model) ? 'decoder' : 'encoder';
  const { numLayers } = stackOf(model, stack);
  refuse(plan.head?.kind, 'the head before the logits is not linear');
  refuse(!plan.projection?.vocab, 'the model has no logits');
  refuse(plan.projection?.cap, 'capped logits are not linear (Gemma 2)');
  const run = await explained(model, sequence, [stack], []);
  const sources = sourcesAt({ stack, layer: numLayers, isCross: false }, run);
  const { position, token, against } = asked;
  const tokens = against === undefined ? [token] : [token, against];
  const read = ({ logits }: { logits?: Tensor }) => {
    const { data, shape } = logits ?? fail('internal', 'a pass has no logits');
    const [batch = 0, time = 0, vocab = 0] = shape;
    if (position >= time) fail('invalid_argument', `attribute: there is no position ${position} of ${time}`);
    for (const id of tokens)
      if (id >= vocab) fail('invalid_argument', `attribute: there is no token ${id} of ${vocab}`);
    const rows = Array.from({ length: batch }, (_, row) => (row * time + position) * vocab);
    return rows.flatMap((first) => tokens.map((id) => data[first + id] ?? 0));
  };
  const whole = read(await forward(model, sequence, {}));
  const time = run[`${stack}.embeddings.sum`]?.shape[1] ?? 1;
  const passes = await runRows(model, sequence, {
    rows: [undefined, ...sources],
    rowSize: Math.max(sizeOf(run), time * (plan.projection?.vocab ?? 0)),
    ...progressOf(asked),
    editsOf: (rows) => [...nothing(run), ...rows.flatMap((source, row) => source?.edits(row) ?? [])],
    read,
  });
  const count = sources.length + 2;
  const logits = { data: Float32Array.from([...whole, ...passes.flat()]), shape: [count, tokens.length] };
  const signs = { data: Float32Array.from(tokens, (_, i) => 1 - 2 * i), shape: [tokens.length, 1] };
  const values = await model.host.call('matmul', differences(count, 1), await model.host.call('matmul', logits, signs));
  const [value = 0, ...others] = values.data;
  const parts = ['biases', ...sources.map(({ name }) => name)].map((source, i) => ({ source, value: others[i] ?? 0 }));
  return { value, parts, rounding: value - total(parts) };
}
