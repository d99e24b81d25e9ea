/** Rearranging matrices for the engine. */

import { Tensor } from 'transformer-wasm';

/** @param tensor [rows, columns] @returns [columns, rows] */
export function transposed({ data, shape: [rows = 0, columns = 0] }: Tensor): Tensor {
  const from = (i: number) => data[(i % rows) * columns + Math.floor(i / rows)] ?? 0;
  return new Tensor(
    Float32Array.from({ length: data.length }, (_, i) => from(i)),
    [columns, rows],
  );
}
