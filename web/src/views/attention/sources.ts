/** What one attention is computed from: this sentence, an example of the articles, or a matrix of the visitor's own. */

import { type Engine, type Model, Tensor } from 'transformer-wasm';
import { readJson } from '../../files.js';
import { attentionPath, type Head, headLabel } from '../../heads.js';
import { chosenHead, chosenWord, type Reading } from '../../reading.js';
import type { Selection } from '../../selection.js';
import { fourInputs, threeTokens, type WorkedExample } from './worked_examples.js';

/** Queries, keys and values of one head, [tokens, width]. */
export interface Inputs {
  /** What attends to what, in words. */
  readonly title: string;
  readonly queryNames: readonly string[];
  readonly keyNames: readonly string[];
  readonly queries: Tensor;
  readonly keys: Tensor;
  readonly values: Tensor;
  /** The query that is shown unless the visitor chooses another. */
  readonly query: number;
  /** Whether a query sees only the keys up to its own place. */
  readonly isCausal: boolean;
}

export const sourceNames = {
  sentence: 'this sentence',
  smallest: '“good and not bad”: one matrix, 312 numbers',
  seed25: 'four inputs, NumPy seed 25',
  seed42: 'three tokens, NumPy seed 42',
  vectors: 'three vectors attend to each other',
  own: 'your own matrix',
} as const;

export type SourceName = keyof typeof sourceNames;

export const isSource = (name: string): name is SourceName => Object.hasOwn(sourceNames, name);

/** Queries, keys and values as the model computes them for this sentence, of the selected head. */
export async function ofSentence(model: Model, reading: Reading, selection: Selection): Promise<Inputs> {
  const head = chosenHead(reading, selection.head);
  const path = attentionPath(head.kind, head.layer);
  const hasEncoder = reading.maps.cross !== undefined || reading.maps.decoder === undefined;
  const ids = { inputIds: [[...(hasEncoder ? reading.inputIds : reading.ids.slice(0, -1))]] };
  const decoderInputIds = [[...reading.ids.slice(0, -1)]];
  const { trace = {} } = await model.forward(reading.maps.cross ? { ...ids, decoderInputIds } : ids, {
    trace: ['queries', 'keys', 'values'].map((name) => `${path}.${name}`),
  });
  const map = reading.maps[head.kind];
  const of = (name: string) => headOf(trace[`${path}.${name}`], head, map?.heads ?? 1);
  const label = ({ label }: { readonly label: string }) => label;
  return {
    title: headLabel(head),
    queryNames: map?.queries.map(label) ?? [],
    keyNames: map?.keys.map(label) ?? [],
    queries: of('queries'),
    keys: of('keys'),
    values: of('values'),
    query: head.kind === 'encoder' ? pronounOf(map?.queries ?? []) : chosenWord(reading, selection.word),
    isCausal: head.kind === 'decoder',
  };
}

const pronounOf = (tokens: readonly { readonly label: string }[]) =>
  Math.max(
    0,
    tokens.findIndex(({ label }) => label === 'it'),
  );

/** One head's columns of [1, time, heads * width]; keys and values may have fewer heads than there are queries. */
function headOf(traced: Tensor | undefined, { head }: Head, heads: number): Tensor {
  if (!traced) throw new Error('the model does not have this attention');
  const [, time = 0, width = 0] = traced.shape;
  const size = width % heads === 0 ? width / heads : width;
  const first = Math.min(head, width / size - 1) * size;
  const rows = Array.from({ length: time }, (_, i) =>
    traced.data.subarray(i * width + first, i * width + first + size),
  );
  return new Tensor(Float32Array.from(rows.flatMap((row) => [...row])), [time, size]);
}

/** x W_Q, x W_K and x W_V of an article's example. */
async function ofExample(engine: Engine, { title, inputs, W_Q, W_K, W_V }: WorkedExample): Promise<Inputs> {
  const [queries, keys, values] = await Promise.all(
    [W_Q, W_K, W_V].map((matrix) => engine.matmul(inputs, matrix)),
  );
  if (!queries || !keys || !values) throw new Error('an example has three matrices');
  const names = inputs.map((_, i) => `x${i + 1}`);
  return { title, queryNames: names, keyNames: names, queries, keys, values, query: 0, isCausal: false };
}

/** Vectors that attend to each other without any weights: queries, keys and values are the vectors. */
export function ofVectors(rows: readonly (readonly number[])[], title: string): Inputs {
  const x = Tensor.from(rows.map((row) => [...row]));
  const names = rows.map((_, i) => `x${i + 1}`);
  return {
    title,
    queryNames: names,
    keyNames: names,
    queries: x,
    keys: x,
    values: x,
    query: 0,
    isCausal: false,
  };
}

/** The classifier with one matrix W for queries and keys together: the scores are x W xᵀ. */
async function ofSmallest(engine: Engine): Promise<Inputs> {
  const smallest = await readJson<{ embedding: Record<string, number[]>; W: number[][] }>(
    'models/smallest/smallest.json',
  );
  const { embedding, W } = smallest;
  const words = 'the film was good and not bad'.split(' ');
  const width = W.length;
  const positions = await engine.positionalEncoding(words.length, width, { base: 100 });
  const x = Tensor.from(
    words.map((word, i) =>
      (embedding[word] ?? []).map((value, j) => value + (positions.data[width * i + j] ?? 0)),
    ),
  );
  const title = 'x W xᵀ with a single matrix W';
  const queries = await engine.matmul(x, W);
  const query = words.indexOf('not');
  return { title, queryNames: words, keyNames: words, queries, keys: x, values: x, query, isCausal: false };
}

/** An example that needs no sentence. */
export async function ofArticle(
  engine: Engine,
  source: Exclude<SourceName, 'sentence' | 'own'>,
): Promise<Inputs> {
  if (source === 'smallest') return ofSmallest(engine);
  if (source === 'vectors') return ofVectors(threeTokens.inputs, 'three vectors, without weights');
  return ofExample(engine, source === 'seed25' ? fourInputs : threeTokens);
}

/**
 * Reads a pasted matrix: rows in lines, numbers separated by spaces or commas, brackets allowed.
 *
 * @throws Error that says what is wrong, for the visitor
 */
export function parseMatrix(text: string): number[][] {
  const rows = text
    .split(/[\n;]|\]\s*,?/)
    .map((line) => line.replace(/[[\](),]/g, ' ').trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/).map(Number));
  const [first] = rows;
  if (!first) throw new Error('Paste a matrix: one row a line, numbers separated by spaces or commas.');
  for (const [i, row] of rows.entries()) {
    if (row.some((number) => !Number.isFinite(number)))
      throw new Error(`Row ${i + 1} has something that is not a number.`);
    if (row.length !== first.length)
      throw new Error(`Row ${i + 1} has ${row.length} numbers, the first row ${first.length}.`);
  }
  if (rows.length > 64 || first.length > 128) throw new Error('At most 64 rows of 128 numbers.');
  return rows;
}
