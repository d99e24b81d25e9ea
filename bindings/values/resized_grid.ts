/** Vectors on a grid brought to another size, as PyTorch's `interpolate` does with `align_corners=False`. */

import type { TensorData } from './tensor.js';

export interface GridKernel {
  /** Of Keys' cubic kernel (1981); `null`: the kernel is linear. */
  readonly cubic: number | null;
  /** Whether the kernel is widened where the grid shrinks; if not, points beyond the edge repeat it. */
  readonly antialias: boolean;
}

/** A new point's share of an old one. */
interface Term {
  readonly from: number;
  readonly weight: number;
}

/** [rows, columns, width] -> [newRows, newColumns, width] */
export function resizedGrid(
  { data, shape }: TensorData,
  [newRows, newColumns]: readonly [number, number],
  kernel: GridKernel,
): TensorData {
  const [rows = 0, columns = 0, width = 0] = shape;
  // In double precision between the two passes: rows of the grid hold `columns` vectors, and the grid `rows` of them.
  const wide = resizedAxis({ data, count: rows, size: columns, width }, newColumns, kernel);
  const made = resizedAxis({ data: wide, count: 1, size: rows, width: newColumns * width }, newRows, kernel);
  return { data: Float32Array.from(made), shape: [newRows, newColumns, width] };
}

/** Numbers [count, size, width]. */
interface Axis {
  readonly data: ArrayLike<number>;
  readonly count: number;
  readonly size: number;
  readonly width: number;
}

/** -> [count, newSize, width] */
function resizedAxis({ data, count, size, width }: Axis, newSize: number, kernel: GridKernel): Float64Array {
  const made = new Float64Array(count * newSize * width);
  for (const [place, terms] of termsOf(size, newSize, kernel).entries())
    for (let i = 0; i < count; i++)
      for (const { from, weight } of terms) {
        const [to, at] = [(i * newSize + place) * width, (i * size + from) * width];
        for (let k = 0; k < width; k++) made[to + k] = (made[to + k] ?? 0) + weight * (data[at + k] ?? 0);
      }
  return made;
}

function termsOf(size: number, newSize: number, kernel: GridKernel): Term[][] {
  const scale = size / newSize;
  const support = kernel.cubic === null ? 1 : 2;
  const widened = kernel.antialias ? Math.max(scale, 1) : 1;
  return Array.from({ length: newSize }, (_, place) => {
    const centre = (place + 0.5) * scale;
    const terms: Term[] = [];
    const first = Math.floor(centre - support * widened);
    const last = Math.ceil(centre + support * widened);
    for (let i = first; i < last; i++) {
      const weight = weightAt((i + 0.5 - centre) / widened, kernel.cubic);
      const isOutside = i < 0 || i >= size;
      if (weight === 0 || (kernel.antialias && isOutside)) continue;
      terms.push({ from: Math.min(Math.max(i, 0), size - 1), weight });
    }
    const sum = terms.reduce((total, { weight }) => total + weight, 0);
    return terms.map(({ from, weight }) => ({ from, weight: weight / sum }));
  });
}

function weightAt(distance: number, a: number | null): number {
  const x = Math.abs(distance);
  if (a === null) return Math.max(0, 1 - x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}
