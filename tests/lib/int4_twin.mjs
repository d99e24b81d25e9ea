// Naive twins of the engine's 4-bit weights: the search for the scale of a group, and the product.

import { nearest, rowsOf } from './integers.mjs';

const float = Math.fround;

function toBf16(x) {
  const bits = new Uint32Array(Float32Array.of(x).buffer)[0];
  const rest = bits % 65536;
  const above = Math.floor(bits / 65536);
  const up = rest > 32768 || (rest === 32768 && above % 2 === 1) ? 1 : 0;
  return new Float32Array(Uint32Array.of((above + up) * 65536).buffer)[0];
}

const inRange = (q) => Math.max(-8, Math.min(7, q)) + 0;

/** At most 32 weights -> { scale, integers }. */
export function quantizeGroup(weights) {
  const largest = Math.max(...weights.map(Math.abs));
  if (largest < float(1e-32)) return { scale: 0, integers: weights.map(() => 0) };
  const candidates = [8.5, 8, 7.5, 7, 6, 5, 4, 3, 2, 1].map((divisor) => {
    const scale = toBf16(float(largest / divisor));
    const inverse = float(1 / scale);
    const sums = new Array(8).fill(0);
    let farthest = 0;
    for (const [i, w] of weights.entries()) {
      const steps = float(w * inverse);
      const error = float(steps - inRange(nearest(steps)));
      farthest = Math.max(farthest, Math.abs(error));
      sums[i % 8] = float(sums[i % 8] + float(error * error));
    }
    const ratio = float(scale / largest);
    if (divisor < 7 && farthest > 1 / 32) return { scale, error: Number.POSITIVE_INFINITY };
    return { scale, error: float(sums.reduce((sum, one) => float(sum + one), 0) * float(ratio * ratio)) };
  });
  const least = Math.min(...candidates.map(({ error }) => error));
  const { scale } = candidates.find(({ error }) => error === least);
  return { scale, integers: weights.map((w) => inRange(nearest(float(w * float(1 / scale))))) };
}

const groupsOf = (row) =>
  Array.from({ length: Math.ceil(row.length / 32) }, (_, i) => row.slice(32 * i, 32 * i + 32));

/** w [out, in] as the engine's 4 bits represent it. */
export function in4Bits(w) {
  const rows = rowsOf(w).map((row) =>
    groupsOf(row).flatMap((group) => {
      const { scale, integers } = quantizeGroup(group);
      return integers.map((q) => q * scale);
    }),
  );
  return { data: Float32Array.from(rows.flat()), shape: w.shape };
}

/** x [rows, in] and w [out, in] -> [rows, out], bitwise equal to the engine's. */
export function int4Product(x, w) {
  const columns = rowsOf(w).map((row) => groupsOf(row).map(quantizeGroup));
  const rows = rowsOf(x).map((row) => {
    const scale = float(Math.max(...row.map(Math.abs)) / 127);
    const inverse = float(1 / scale);
    const integers = groupsOf(row.map((one) => (scale > 0 ? nearest(float(one * inverse)) : 0)));
    return columns.map((groups) => {
      let total = 0;
      for (const [g, group] of groups.entries()) {
        const sum = group.integers.reduce((all, q, i) => all + q * integers[g][i], 0);
        total = float(total + float(float(sum) * group.scale));
      }
      return float(total * scale);
    });
  });
  return { data: Float32Array.from(rows.flat()), shape: [x.shape[0], w.shape[0]] };
}
