// Computations without weights. A softmax of 4 kB takes a few microseconds: its row is the cost of a call.

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

const softmax = (rows, width) => ({
  name: `softmax ${rows} x ${width}`,
  kind: 'softmax',
  flops: 5 * rows * width,
  problem: () => ({ scores: randomTensor([rows, width], 1, 2) }),
});

export const attentionRows = [attention(8, 64, 64), attention(8, 512, 64), softmax(8, 128)];
