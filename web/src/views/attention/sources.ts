/** What one attention is computed from: this sentence, an example of the articles, or a matrix of the visitor's own. */

import { type Engine, Tensor } from 'transformer-wasm';
import type { Inputs } from '../../reading/inputs.js';
import { Problem } from '../../words/problem.js';
import { words } from '../../words/words.js';
import { ofSmallest } from './smallest.js';
import { fourInputs, threeTokens, type WorkedExample } from './worked_examples.js';

export const sourceNames = {
  sentence: words.attention.sources.sentence,
  smallest: words.attention.sources.smallest,
  seed25: words.attention.sources.seed25,
  seed42: words.attention.sources.seed42,
  vectors: words.attention.sources.vectors,
  own: words.attention.sources.own,
} as const;

export type SourceName = keyof typeof sourceNames;

export const isSource = (name: string): name is SourceName => Object.hasOwn(sourceNames, name);

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

/** An example that needs no sentence. */
export async function ofArticle(
  engine: Engine,
  source: Exclude<SourceName, 'sentence' | 'own'>,
): Promise<Inputs> {
  if (source === 'smallest') return ofSmallest(engine);
  if (source === 'vectors') return ofVectors(threeTokens.inputs, words.attention.vectorsTitle);
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
  if (!first) throw new Problem(words.attention.pasteMatrix);
  for (const [i, row] of rows.entries()) {
    if (row.some((number) => !Number.isFinite(number))) throw new Problem(words.attention.notNumber(i + 1));
    if (row.length !== first.length)
      throw new Problem(words.attention.unequal(i + 1, row.length, first.length));
  }
  if (rows.length > 64 || first.length > 128) throw new Problem(words.attention.tooLarge);
  return rows;
}
