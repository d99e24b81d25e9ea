/** Where an attention score comes from. */

import { hasDecoder, hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import type { AttentionConfig } from '../modules/embind.js';
import { fail } from '../values/errors.js';
import { asTensor, concatenated, Tensor, type TensorData } from '../values/tensor.js';
import {
  complete,
  differences,
  explained,
  type Given,
  refuse,
  runSources,
  stackOf,
  total,
  type Work,
} from './attribution_run.js';
import { type Place, type Run, type Source, sourcesAt } from './attribution_sources.js';
import type { AttributedPart, ScoreAttribution } from './cause_types.js';
import { forward } from './forward.js';
import type { ForwardOutput } from './forward_output.js';

export async function ofScore(work: Work): Promise<ScoreAttribution> {
  const { model, sequence } = work;
  const asked = complete(work.asked, ['layer', 'head', 'query', 'key'], ['kind']);
  const kind = asked.kind ?? (hasEncoder(model) ? 'encoder' : 'decoder');
  const isCross = kind === 'cross';
  if (isCross && !(hasEncoder(model) && hasDecoder(model)))
    fail('invalid_argument', 'attribute: the model has no cross-attention');
  const place: Place = { stack: isCross ? 'decoder' : kind, layer: asked.layer, isCross };
  const stack = stackOf(model, place.stack);
  const { attention } = stack.layer as { attention: Partial<AttentionConfig> };
  refuse(
    'disentangled' in (stack.positions ?? {}),
    'scores of disentangled attention are not q·k alone (DeBERTa)',
  );
  refuse(attention.scoreCap, 'capped scores are not linear (Gemma 2)');
  const target = `${place.stack}.layers.${place.layer}.${isCross ? 'cross' : 'self'}`;
  const traced = ['queries', 'keys', 'scores'].map((name) => `${target}.${name}`);
  const stacks = [place.stack, ...(isCross ? ['encoder' as const] : [])];
  const { run } = await explained(work, stacks, { trace: traced, skipLogits: true });
  const score = scoreIn(run, target, asked);
  if (score === Number.NEGATIVE_INFINITY)
    fail('invalid_argument', `attribute: query ${asked.query} may not attend to key ${asked.key}`);
  const own = sourcesAt(place, run);
  const theirs = isCross ? sourcesAt({ ...encoderOutput, stack: 'encoder' }, run) : own;
  const bare = await forward(model, sequence, {
    edits: [{ at: `${target}.queries`, set: 0 }],
    trace: [`${target}.scores`],
    skipLogits: true,
  });
  const read = ({ trace = {} }: Pick<ForwardOutput, 'trace'>) => projectionsOf(trace, target, asked);
  const passes = await runSources(work, run, {
    sources: isCross ? [...own, ...theirs] : own,
    trace: traced,
    logits: 0,
    read,
  });
  const pairs = await multiplied(model, [read({ trace: run }), ...passes], attention.scale || undefined);
  return scoreOf({ score, distance: scoreIn(bare.trace ?? {}, target, asked), pairs, own, theirs });
}

const encoderOutput = { layer: Number.POSITIVE_INFINITY, isCross: false };

type Asked = Given<'head' | 'query' | 'key'>;

/** What the traced scores [batch, heads, queries, keys] have. */
function scoreIn(run: Run, target: string, { head, query, key }: Asked): number {
  const { data, shape } = run[`${target}.scores`] ?? fail('internal', 'scores were not traced');
  const [, heads = 0, queries = 0, keys = 0] = shape;
  if (head >= heads || query >= queries || key >= keys)
    fail(
      'invalid_argument',
      `attribute: there is no head ${head}, query ${query} and key ${key}: ${target} has ${heads} heads, ${queries} queries and ${keys} keys`,
    );
  return data[(head * queries + query) * keys + key] ?? 0;
}

/** [rows, dHead] each, of one head at the two positions. */
interface Projections {
  readonly queries: Float32Array;
  readonly keys: Float32Array;
  readonly width: number;
}

function projectionsOf(run: Run, target: string, { head, query, key }: Asked): Projections {
  const [scores, queries, keys] = ['scores', 'queries', 'keys'].map(
    (name) => run[`${target}.${name}`] ?? fail('internal', `${name} were not traced`),
  ) as [Tensor, Tensor, Tensor];
  const heads = scores.shape[1] ?? 1;
  const width = (queries.shape[2] ?? 0) / heads;
  const ofHead = ({ data, shape: [batch = 0, time = 0, columns = 0] }: Tensor, position: number) => {
    // Several heads of queries may share one of keys.
    const own = Math.floor((head * columns) / (width * heads)) * width;
    return concatenated(
      Array.from({ length: batch }, (_, row) => {
        const first = (row * time + position) * columns + own;
        return data.subarray(first, first + width);
      }),
    );
  };
  return { queries: ofHead(queries, query), keys: ofHead(keys, key), width };
}

/** [rows, rows]: the product of each part of the query with each part of the key. */
async function multiplied({ host }: Loaded, parts: readonly Projections[], given?: number): Promise<Tensor> {
  const [{ width } = { width: 1 }] = parts;
  const [queries, keys] = [parts.map((one) => one.queries), parts.map((one) => one.keys)].map((rows) =>
    concatenated(rows),
  );
  const product = (signs: TensorData, data: Float32Array = new Float32Array()) =>
    host.call('matmul', signs, { data, shape: [data.length / width, width] });
  const count = (queries?.length ?? 0) / width;
  const ofQuery = await product(differences(count, given ?? width ** -0.5), queries);
  const ofKey = await product(differences(count, 1), keys);
  return asTensor(await host.call('matmul', ofQuery, transposed(ofKey)));
}

function transposed({ data, shape: [rows = 0, columns = 0] }: TensorData): TensorData {
  const place = (i: number) => (i % rows) * columns + Math.floor(i / rows);
  return { data: Float32Array.from(data, (_, i) => data[place(i)] ?? 0), shape: [columns, rows] };
}

function scoreOf(given: {
  readonly score: number;
  readonly distance: number;
  readonly pairs: Tensor;
  readonly own: readonly Source[];
  readonly theirs: readonly Source[];
}): ScoreAttribution {
  const { score, distance, pairs, own, theirs } = given;
  const size = pairs.shape[0] ?? 0;
  const entry = (row: number, column: number) => pairs.data[row * size + column] ?? 0;
  // After the whole and the biases, rows and columns are the sources of both sides.
  const side = (sources: readonly Source[], first: number) => ({
    names: ['biases', ...sources.map(({ name }) => name)],
    places: [1, ...sources.map((_, i) => first + i)],
  });
  const [rows, columns] = [side(own, 2), side(theirs, own === theirs ? 2 : 2 + own.length)];
  const listed = ({ names, places }: typeof rows, valueAt: (place: number) => number): AttributedPart[] => [
    ...names.map((source, i) => ({ source, value: valueAt(places[i] ?? 0) })),
    ...(distance === 0 ? [] : [{ source: 'distance', value: distance }]),
  ];
  const parts = listed(columns, (column) => entry(0, column));
  const products = rows.places.flatMap((row) => columns.places.map((column) => entry(row, column)));
  return {
    value: score,
    parts,
    queryParts: listed(rows, (row) => entry(row, 0)),
    pairs: new Tensor(Float32Array.from(products), [rows.places.length, columns.places.length]),
    rounding: score - total(parts),
  };
}
