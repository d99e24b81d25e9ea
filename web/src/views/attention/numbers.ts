/** The numbers of one query's attention, step by step. All of them come from the engine. */

import { type Engine, Tensor } from 'transformer-wasm';
import type { Inputs } from '../../reading/inputs.js';
import { transposed } from '../../reading/matrices.js';

export interface Settings {
  readonly query: number;
  /** What the dot products are multiplied by, the temperature included. */
  readonly factor: number;
  /** Keys that the visitor has hidden. */
  readonly hidden: ReadonlySet<number>;
  /** How many keys have been read so far; all, unless they are read tile by tile. */
  readonly read: number;
}

export interface Numbers {
  /** One entry a key: q · k, the score, whether it may be seen, exp(score − largest), the weight. */
  readonly dots: readonly number[];
  readonly scores: readonly number[];
  readonly isSeen: readonly boolean[];
  readonly exps: readonly number[];
  readonly weights: readonly number[];
  /** The largest score, and the sum of `exps`: all that a running softmax remembers besides the output. */
  readonly largest: number;
  readonly sum: number;
  /** [keys, width]: weight × value. */
  readonly weighted: Tensor;
  /** [width]: their sum. */
  readonly output: Float32Array;
}

const rowsOf = ({ data, shape }: Tensor, begin: number, end: number) => {
  const [, width = 0] = shape;
  return new Tensor(data.slice(begin * width, end * width), [end - begin, width]);
};

const diagonal = (values: readonly number[]) =>
  Tensor.from(values.map((value, i) => values.map((_, j) => (i === j ? value : 0))));

export async function numbersOf(engine: Engine, inputs: Inputs, settings: Settings): Promise<Numbers> {
  const { query, factor, hidden, read } = settings;
  const q = rowsOf(inputs.queries, query, query + 1);
  const [count = 0] = inputs.keys.shape;
  const isSeen = Array.from(
    { length: count },
    (_, key) => !hidden.has(key) && !(inputs.isCausal && key > query),
  );
  const products = await engine.matmul(q, transposed(inputs.keys));
  const scaled = await engine.matmul([[factor]], products);
  const { output, weights } = await engine.scaledDotProductAttention(
    q,
    rowsOf(inputs.keys, 0, read),
    rowsOf(inputs.values, 0, read),
    { scale: factor, mask: [isSeen.slice(0, read).map(Number)], needWeights: true },
  );
  const shares = [...(weights?.data ?? []), ...Array.from({ length: count - read }, () => 0)];
  const largestShare = Math.max(...shares);
  const scores = [...scaled.data];
  return {
    dots: [...products.data],
    scores,
    isSeen,
    // Softmax subtracts the largest score first: its exponential is 1, and its weight is one over the sum.
    exps: shares.map((share) => (largestShare > 0 ? share / largestShare : 0)),
    weights: shares,
    largest: Math.max(...scores.slice(0, read).filter((_, key) => isSeen[key])),
    sum: largestShare > 0 ? 1 / largestShare : 0,
    weighted: await engine.matmul(diagonal(shares), inputs.values),
    output: output.data,
  };
}
