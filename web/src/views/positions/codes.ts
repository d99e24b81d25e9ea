/** Each position scheme in code, here and in PyTorch. */

import type { CodeSample } from '../../page/frame.js';
import { length, type SchemeName, width } from './schemes.js';

const angles = `angles = torch.arange(${length})[:, None] / 10000 ** (torch.arange(0, ${width}, 2) / ${width})`;

/** Each computes `positions`, the matrix that is drawn: of ALiBi for all heads. */
export const codes: Record<SchemeName, CodeSample> = {
  sinusoidal: {
    ours: `const positions = await engine.positionalEncoding(${length}, ${width});`,
    pytorch: `${angles}
positions = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)`,
  },
  halves: {
    ours: `const pairs = (await engine.positionalEncoding(${length}, ${width})).tolist();
const half = (row, odd) => row.filter((_, i) => i % 2 === odd);
const positions = pairs.map((row) => [...half(row, 0), ...half(row, 1)]);`,
    pytorch: `${angles}
positions = torch.cat([angles.sin(), angles.cos()], -1)`,
  },
  learned: {
    ours: `const pixelValues = { data: new Float32Array(28 * 28), shape: [1, 1, 28, 28] }; // an empty picture
const { trace } = await digits.forward({ pixelValues }, { trace: ['encoder.embeddings'] });
const [patches] = trace['encoder.embeddings'].tolist().map(([, ...rest]) => rest); // without the class token
const mean = patches[0].map((_, i) => patches.reduce((sum, row) => sum + row[i], 0) / patches.length);
const positions = patches.map((row) => row.map((value, i) => value - mean[i]));`,
    pytorch: `positions = vit.embeddings.position_embeddings[0, 1:]
positions = positions - positions.mean(0)`,
  },
  rotary: {
    ours: `const row = Array.from({ length: ${width} }, (_, i) => (i + 1) % 2); // the pair (1, 0), again and again
const pairs = Array.from({ length: ${length} }, () => row);
const positions = await engine.rotaryEmbedding(pairs, { interleaved: true });`,
    pytorch: `${angles}
q = torch.tensor([1.0, 0.0]).repeat(${length}, ${width / 2})
x, y = q[..., 0::2], q[..., 1::2]
cos, sin = angles.cos(), angles.sin()
positions = torch.stack([x * cos - y * sin, x * sin + y * cos], -1).flatten(-2)`,
  },
  alibi: {
    ours: `const positions = await engine.alibiBias(8, ${length}, ${length});
// await engine.scaledDotProductAttention(Q, K, V, { bias: positions, isCausal: true });`,
    pytorch: `slopes = 2.0 ** -torch.arange(1, 9)
positions = slopes[:, None, None] * (torch.arange(${length}) - torch.arange(${length})[:, None])
positions = positions.masked_fill(~torch.ones(${length}, ${length}, dtype=torch.bool).tril(), -torch.inf)`,
  },
  relative: {
    ours: `const bucket = (distance) => { // of a key that is so far before its query; after it: 16 more
  if (distance < 8) return distance;
  return Math.min(15, 8 + Math.floor((Math.log(distance / 8) / Math.log(128 / 8)) * 8));
};
const positions = Array.from({ length: ${length} }, (_, query) =>
  Array.from({ length: ${length} }, (_, key) => bucket(Math.abs(query - key)) + (key > query ? 16 : 0)));`,
    pytorch: `keys, queries = torch.arange(${length}), torch.arange(${length})[:, None]
positions = T5Attention._relative_position_bucket(keys - queries)`,
  },
};
