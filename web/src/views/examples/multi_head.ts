/** Multi-head attention as a worked example: what each head asks, offers and finds, and what the layer makes of that. */

import { type Engine, Tensor } from 'transformer-wasm';
import inputs from './inputs.json';
import { type Matrix, type Part, part, scoresOf, transpose } from './parts.js';

const heads = 2;

export async function multiHead(engine: Engine, isCausal: boolean): Promise<Part[]> {
  const { x, W_q, W_k, W_v, W_o } = inputs.multi_head;
  const layer = await engine.multiHeadAttention(
    { dModel: W_o.length, numHeads: heads },
    { in_proj_weight: [W_q, W_k, W_v].flatMap(transpose), 'out_proj.weight': transpose(W_o) },
  );
  try {
    const { weights, output } = await layer.forward(x, x, x, { isCausal, needWeights: true });
    const [q = [], k = [], v = []] = await Promise.all(
      [W_q, W_k, W_v].map((matrix) => headsOf(engine, x, matrix)),
    );
    const time = x[0]?.length ?? 0;
    const mask = isCausal ? causal(time) : undefined;
    const scores = await Promise.all(
      q.map((query, i) => scoresOf(engine, { q: query, k: k[i] ?? query, mask })),
    );
    return [
      part('x', x),
      ...Object.entries({ q, k, v, scores }).map(([name, all]) => part(name, stacked(all, x.length))),
      part('weights', weights ?? undefined),
      part('output', output),
    ];
  } finally {
    await layer.dispose();
  }
}

/** `x W`, cut into heads: `[time, width of a head]` for each head of each sequence */
async function headsOf(engine: Engine, x: readonly Matrix[], matrix: Matrix): Promise<Tensor[]> {
  const products = await Promise.all(x.map((sequence) => engine.matmul(sequence, matrix)));
  return products.flatMap(({ data, shape: [time = 0, width = 0] }) =>
    Array.from({ length: heads }, (_, head) => {
      const size = width / heads;
      const at = (i: number) => Math.floor(i / size) * width + head * size + (i % size);
      return new Tensor(
        Float32Array.from({ length: time * size }, (__, i) => data[at(i)] ?? 0),
        [time, size],
      );
    }),
  );
}

/** @returns [sequences, heads, rows, columns] */
function stacked(all: readonly Tensor[], sequences: number): Tensor {
  const data = Float32Array.from(all.flatMap((one) => [...one.data]));
  return new Tensor(data, [sequences, heads, ...(all[0]?.shape ?? [])]);
}

const causal = (time: number): Matrix =>
  Array.from({ length: time }, (_, row) =>
    Array.from({ length: time }, (__, column) => (column <= row ? 1 : 0)),
  );
