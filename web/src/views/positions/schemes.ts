/** The position schemes, each as a matrix to look at. */

import { type Engine, type Model, Tensor } from 'transformer-wasm';
import { transposed } from '../../reading/matrices.js';
import { words } from '../../words/words.js';
import { relativeBuckets } from './relative_buckets.js';

/** What a scheme adds, or turns, for each position. */
export interface Scheme {
  /** [positions, dimensions], or [queries, keys] for schemes that act on scores. */
  readonly matrix: Tensor;
  /** How alike two positions are, [positions, positions]; `null` for schemes that act on scores, whose matrix says it. */
  readonly similarity: Tensor | null;
  /** What a row and a column of the matrix are. */
  readonly rows: string;
  readonly columns: string;
  readonly about: string;
  /** Whether a query sees no key after it: what the scheme would add there does not count. */
  readonly isCausal?: boolean;
}

export const schemeNames = {
  sinusoidal: words.positions.schemes.sinusoidal,
  halves: words.positions.schemes.halves,
  learned: words.positions.schemes.learned,
  rotary: words.positions.schemes.rotary,
  alibi: 'ALiBi',
  relative: words.positions.schemes.relative,
} as const;

export type SchemeName = keyof typeof schemeNames;

export const length = 128;
export const width = 128;
const heads = 8;

const withSimilarity = async (engine: Engine, matrix: Tensor) => ({
  matrix,
  similarity: await engine.matmul(matrix, transposed(matrix)),
});

const rearranged = ({ data, shape }: Tensor, from: (column: number, columns: number) => number) => {
  const [, columns = 0] = shape;
  return new Tensor(
    data.map((_, i) => data[i - (i % columns) + from(i % columns, columns)] ?? 0),
    [...shape],
  );
};

/** @param head the head of ALiBi's slopes, from 0 */
export async function schemeOf(
  engine: Engine,
  name: SchemeName,
  { head, digits }: { head: number; digits: () => Promise<Model> },
): Promise<Scheme> {
  const adds = { rows: words.positions.axes.position, columns: words.positions.axes.dimension };
  const biases = { rows: words.positions.axes.query, columns: words.positions.axes.key, similarity: null };
  switch (name) {
    case 'sinusoidal': {
      const matrix = await engine.positionalEncoding(length, width);
      const about = words.positions.about.sinusoidal;
      return { ...(await withSimilarity(engine, matrix)), ...adds, about };
    }
    case 'halves': {
      const pairs = await engine.positionalEncoding(length, width);
      const matrix = rearranged(pairs, (i, all) => (i < all / 2 ? 2 * i : 2 * i - all + 1));
      const about = words.positions.about.halves;
      return { ...(await withSimilarity(engine, matrix)), ...adds, about };
    }
    case 'learned':
      return {
        ...(await learned(engine, await digits())),
        rows: words.positions.axes.patch,
        columns: words.positions.axes.dimension,
      };
    case 'rotary': {
      const ones = new Tensor(
        Float32Array.from({ length: length * width }, (_, i) => (i + 1) % 2),
        [length, width],
      );
      const matrix = await engine.rotaryEmbedding(ones, { interleaved: true });
      const about = words.positions.about.rotary;
      return { ...(await withSimilarity(engine, matrix)), ...adds, about };
    }
    case 'alibi': {
      const { data } = await engine.alibiBias(heads, length, length);
      const matrix = new Tensor(data.slice(head * length * length, (head + 1) * length * length), [
        length,
        length,
      ]);
      const about = words.positions.about.alibi(head + 1, heads);
      return { ...biases, matrix, about, isCausal: true };
    }
    case 'relative': {
      const about = words.positions.about.relative;
      return { ...biases, matrix: await relativeBuckets(engine, length), about };
    }
  }
}

/**
 * The learned positions of the digit reader's 49 patches. For an empty image all patches have the same embedding, so the
 * rest of its input differs in the positions alone; what all have in common is left out.
 */
async function learned(engine: Engine, model: Model) {
  const pixelValues = new Tensor(new Float32Array(28 * 28), [1, 1, 28, 28]);
  const { trace = {} } = await model.forward({ pixelValues }, { trace: ['encoder.embeddings'] });
  const embeddings = trace['encoder.embeddings'];
  const [, time = 0, size = 0] = embeddings?.shape ?? [];
  const patches = new Tensor((embeddings?.data ?? new Float32Array()).slice(size), [time - 1, size]);
  // (I - 1/n) x: every row minus the mean of the rows.
  const count = time - 1;
  const centring = new Tensor(
    Float32Array.from({ length: count * count }, (_, i) => (i % (count + 1) === 0 ? 1 : 0) - 1 / count),
    [count, count],
  );
  const matrix = await engine.matmul(centring, patches);
  const about = words.positions.about.learned;
  return { ...(await withSimilarity(engine, matrix)), about };
}
