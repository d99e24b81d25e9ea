// Scaled dot-product attention alone, without weights.

import { randomTensor } from '../weights.mjs';

const attention = (heads, time, width) => ({
  name: `attention ${heads} x ${time} x ${width}`,
  kind: 'attention',
  flops: 4 * heads * time * time * width,
  problem: () => ({
    query: randomTensor([heads, time, width], 1, 2),
    key: randomTensor([heads, time, width], 2, 2),
    value: randomTensor([heads, time, width], 3),
  }),
});

export const attentionRows = [attention(8, 512, 64)];
