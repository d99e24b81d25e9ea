// Matrix products, the computation of every linear layer.

import { randomTensor } from '../weights.mjs';

const gemm = (rows, into, out) => ({
  name: `GEMM ${rows} x ${into} x ${out}`,
  kind: 'linear',
  flops: 2 * rows * into * out,
  problem: () => ({
    weight: randomTensor([out, into], 1, Math.sqrt(6 / (into + out))),
    src: randomTensor([rows, into], 2),
  }),
});

export const gemmRows = [
  gemm(4, 512, 512),
  gemm(64, 512, 512),
  gemm(64, 512, 2048),
  gemm(64, 2048, 512),
  gemm(128, 512, 32000),
  gemm(1, 512, 2048),
  gemm(1, 512, 32000),
];
