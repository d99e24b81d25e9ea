/** The outlines of ribbons and arcs, as SVG paths. All of a kind have the same commands, so that one can turn into another. */

export interface Strand {
  /** The middle of each end, and its width, in pixels. */
  readonly from: { readonly x: number; readonly y: number; readonly width: number };
  readonly to: { readonly x: number; readonly y: number; readonly width: number };
}

const number = (value: number) => value.toFixed(1);
const point = (x: number, y: number) => `${number(x)},${number(y)}`;

/**
 * From one row of words down to the other: a band whose sides leave and arrive upright.
 *
 * @param thickness of its middle where the rows are close and the ends far apart, so that it does not become a hair there
 */
export function ribbonPath({ from, to }: Strand, thickness = 0): string {
  const middle = (from.y + to.y) / 2;
  const lean = (Math.sign(to.x - from.x) * thickness) / 2;
  const [left, right] = [-0.5, 0.5].map((side) => ({
    from: from.x + side * from.width,
    to: to.x + side * to.width,
  }));
  if (!left || !right) return '';
  return [
    `M${point(left.from, from.y)}`,
    `C${point(left.from, middle + lean)} ${point(left.to, middle + lean)} ${point(left.to, to.y)}`,
    `L${point(right.to, to.y)}`,
    `C${point(right.to, middle - lean)} ${point(right.from, middle - lean)} ${point(right.from, from.y)}`,
    'Z',
  ].join(' ');
}

/** How high an arc stands over its row, in pixels. */
const riseOf = ({ from, to }: Strand, highest: number) =>
  Math.min(highest, 26 + 0.28 * Math.abs(to.x - from.x));

/** The middle of an arc's highest place. */
export const arcTop = (strand: Strand, highest = 96) => ({
  x: (strand.from.x + strand.to.x) / 2,
  y: strand.from.y - riseOf(strand, highest) + 0.3 * strand.to.width,
});

/** Over one row of words: thick where it was looked at, thin where the look comes from. @param highest in pixels */
export function arcPath(strand: Strand, highest = 96): string {
  const { from, to } = strand;
  const rise = riseOf(strand, highest);
  const side = Math.sign(to.x - from.x) || 1;
  const outer = { near: from.x - (side * from.width) / 2, far: to.x + (side * to.width) / 2 };
  const inner = { near: from.x + (side * from.width) / 2, far: to.x - (side * to.width) / 2 };
  // A cubic reaches three quarters of the height of its control points.
  const [high, low] = [from.y - rise / 0.75, from.y - (rise - 0.8 * to.width) / 0.75];
  return [
    `M${point(outer.near, from.y)}`,
    `C${point(outer.near, high)} ${point(outer.far, high)} ${point(outer.far, to.y)}`,
    `L${point(inner.far, to.y)}`,
    `C${point(inner.far, low)} ${point(inner.near, low)} ${point(inner.near, from.y)}`,
    'Z',
  ].join(' ');
}

/** One look of a word: at which token of the other row, and how much. */
export interface Glance {
  readonly key: number;
  readonly weight: number;
}

/** What is worth a ribbon; the bars show the rest. */
export const glancesOf = (row: ArrayLike<number>, least: number): Glance[] =>
  Array.from(row, (weight, key) => ({ key, weight })).filter(({ weight }) => weight >= least);

/** Ribbons that end at one word stand side by side there, like the strands of a trunk: the middle of each, around 0. */
export function strandsAt(widths: readonly number[]): number[] {
  let at = -widths.reduce((sum, width) => sum + width, 0) / 2;
  return widths.map((width) => {
    const middle = at + width / 2;
    at += width;
    return middle;
  });
}
