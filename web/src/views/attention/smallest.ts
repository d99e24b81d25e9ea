/** The classifier of 312 numbers: its attention, and its verdict beside that of the same words as a bag. */

import { type Engine, Tensor } from 'transformer-wasm';
import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import { readJson } from '../../reading/files.js';
import type { Inputs } from '../../reading/inputs.js';
import { percent } from '../../reading/tokens.js';
import { words } from '../../words/words.js';

export interface Classifier {
  readonly embedding: Readonly<Record<string, number[]>>;
  /** Queries and keys together: the scores are x W xᵀ. */
  readonly W: number[][];
  readonly readout: number[][];
}

/** The same words with the opposite meaning. */
export const [praise, blame] = ['the film was good and not bad', 'the film was bad and not good'];

const openClassifier = () => readJson<Classifier>('models/smallest/smallest.json');

/** [words, width]: the embeddings, with positions or without. */
async function embedded(engine: Engine, { embedding, W }: Classifier, text: string, isPlaced: boolean) {
  const tokens = text.split(' ');
  const { data } = await engine.positionalEncoding(tokens.length, W.length, { base: 100 });
  const at = (i: number, j: number) => (isPlaced ? (data[W.length * i + j] ?? 0) : 0);
  return Tensor.from(tokens.map((word, i) => (embedding[word] ?? []).map((value, j) => value + at(i, j))));
}

export async function ofSmallest(engine: Engine): Promise<Inputs> {
  const classifier = await openClassifier();
  const names = praise.split(' ');
  const x = await embedded(engine, classifier, praise, true);
  const title = words.attention.smallestTitle;
  const queries = await engine.matmul(x, classifier.W);
  const query = names.indexOf('not');
  return { title, queryNames: names, keyNames: names, queries, keys: x, values: x, query, isCausal: false };
}

/**
 * The probability that a sentence is praise.
 *
 * @param reads `attention`: as the classifier was trained; `bag`: every word looks at all of them alike, and nobody knows
 *   their order
 */
export async function verdictOf(
  engine: Engine,
  classifier: Classifier,
  text: string,
  reads: 'attention' | 'bag',
): Promise<number> {
  const x = await embedded(engine, classifier, text, reads === 'attention');
  const [count = 1] = x.shape;
  const queries = await engine.matmul(x, classifier.W);
  const { output } = await engine.scaledDotProductAttention(queries, x, x, {
    ...(reads === 'bag' && { scale: 0 }),
  });
  const mean = await engine.matmul([Array.from({ length: count }, () => 1 / count)], output);
  const { data } = await engine.matmul(mean, classifier.readout);
  // The softmax of (z, 0) begins with the sigmoid of z.
  return (await engine.softmax([[data[0] ?? 0, 0]])).data[0] ?? 0;
}

/** Both sentences under both readings, in words. */
export async function saidVerdict(engine: Engine): Promise<(Node | string)[]> {
  const classifier = await openClassifier();
  const one = async (text: string, reads: 'attention' | 'bag') =>
    make('b', {}, percent(await verdictOf(engine, classifier, text, reads)));
  const quoted = (text: string) => make('span', { lang: 'en' }, text);
  return filled(words.attention.verdict, {
    ofPraise: await one(praise, 'attention'),
    praise: quoted(praise),
    ofBlame: await one(blame, 'attention'),
    blame: quoted(blame),
    bagOfPraise: await one(praise, 'bag'),
    bagOfBlame: await one(blame, 'bag'),
  });
}
