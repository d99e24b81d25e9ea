// A naive twin of the int8 linear layer: integers, their exact sums, then one floating-point product.

import { nearest, quantizeRow, rowsOf } from './integers.mjs';

const float = Math.fround;

/** Quantises a row of activations: to 7 bits between its extremes, or to as many of 16 as sums in 32 bits allow. */
function quantizeActivations(row, bits) {
  const low = Math.min(0, ...row);
  const high = Math.max(0, ...row);
  const steps = bits === 7 ? 127 : Math.min(32767, Math.floor((2 ** 31 - 1) / (127 * row.length)));
  const scale =
    bits === 7 ? float(float(high / steps) - float(low / steps)) : float(Math.max(high, -low) / steps);
  if (scale === 0) return { integers: row.map(() => 0), scale };
  const inverse = float(1 / scale);
  const zero = bits === 7 ? nearest(float(-low * inverse)) : 0;
  return {
    integers: row.map((x) => Math.min(nearest(float(x * inverse)) + zero, steps) - zero),
    scale,
  };
}

/** x [rows, in] and w [out, in] -> [rows, out], bitwise equal to the engine for activations of this many bits. */
export function int8Product(x, w, bits) {
  const columns = rowsOf(w).map(quantizeRow);
  const rows = rowsOf(x).map((row) => {
    const a = quantizeActivations(row, bits);
    return columns.map((b) => {
      const sum = a.integers.reduce((all, q, k) => all + q * b.integers[k], 0);
      return float(float(sum) * float(a.scale * b.scale));
    });
  });
  return { data: Float32Array.from(rows.flat()), shape: [x.shape[0], w.shape[0]] };
}

/** Cosine of the angle between two lists of numbers. */
export function cosine(a, b) {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return dot / Math.sqrt(aa * bb);
}
