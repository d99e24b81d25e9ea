/** Each position scheme in code, here and in PyTorch. */

import type { CodeSample } from '../../page/frame.js';
import { length, type SchemeName, width } from './schemes.js';

export const codes: Record<SchemeName, CodeSample> = {
  sinusoidal: {
    ours: `const positions = await engine.positionalEncoding(${length}, ${width});`,
    pytorch: `angles = torch.arange(${length})[:, None] / 10000 ** (torch.arange(0, ${width}, 2) / ${width})
positions = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)`,
  },
  halves: {
    ours: `const model = await loadModel('opus-mt'); // Marian checkpoints have their positions in halves`,
    pytorch: `angles = torch.arange(${length})[:, None] / 10000 ** (torch.arange(0, ${width}, 2) / ${width})
positions = torch.cat([angles.sin(), angles.cos()], -1)`,
  },
  learned: {
    ours: `const { trace } = await digits.forward({ pixelValues }, { trace: ['encoder.embeddings'] });`,
    pytorch: 'x = patches + vit.embeddings.position_embeddings[:, 1:]',
  },
  rotary: {
    ours: 'const turned = await engine.rotaryEmbedding(queries, { interleaved: true });',
    pytorch: `cos, sin = angles.cos(), angles.sin()
x, y = q[..., 0::2], q[..., 1::2]
q = torch.stack([x * cos - y * sin, x * sin + y * cos], -1).flatten(-2)`,
  },
  alibi: {
    ours: `const bias = await engine.alibiBias(8, ${length}, ${length});
await engine.scaledDotProductAttention(Q, K, V, { bias, isCausal: true });`,
    pytorch: `slopes = 2.0 ** -torch.arange(1, 9)
bias = slopes[:, None, None] * (torch.arange(${length}) - torch.arange(${length})[:, None])
bias = bias.masked_fill(~torch.ones(${length}, ${length}, dtype=torch.bool).tril(), -torch.inf)`,
  },
  relative: {
    ours: `const t5 = await loadModel('t5-small'); // its table of biases comes with it`,
    pytorch: 'bias = table[T5Attention._relative_position_bucket(keys - queries)]',
  },
};
