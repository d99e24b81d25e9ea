/** Holds the parts of a pass against what the machine can do at most (Williams, Waterman and Patterson 2009). */

import type { MachineLimits } from '../layers/engine.js';
import type { ProfiledPart, ProfiledPass } from '../model/profile.js';

/** What the machine can do while a pass runs, a second. */
export interface Roofs {
  readonly flops: number;
  /** Of a buffer as large as all weights that the pass reads: between two uses of one come all the others. */
  readonly weightBytes: number;
  /** Of a small buffer: what a part reads was written by the part before. */
  readonly stateBytes: number;
}

export const roofsOf = (far: MachineLimits, near: MachineLimits): Roofs => ({
  flops: Math.max(far.flopsPerSecond, near.flopsPerSecond),
  weightBytes: far.bytesPerSecond,
  stateBytes: Math.max(far.bytesPerSecond, near.bytesPerSecond),
});

const bounds = ['arithmetic', 'weights', 'states'] as const;

/** What nothing could be faster than. */
export type Bound = (typeof bounds)[number];

/** A part, or several as one, under its roof. */
export interface Row extends ProfiledPart {
  /** Of the pass's time, 0 to 1. */
  readonly share: number;
  readonly gflops: number;
  readonly gigabytesPerSecond: number;
  /** What it would take at the machine's limit. */
  readonly limitMilliseconds: number;
  /** How much of that limit is reached, 0 to 1. */
  readonly ofLimit: number;
  readonly boundBy: Bound;
}

/** Each part under its roof. */
export function rowsOf(pass: ProfiledPass, roofs: Roofs): Row[] {
  return pass.parts.map((part) => {
    const arithmetic = (1e3 * part.flops) / roofs.flops;
    const weights = (1e3 * part.weightBytes) / roofs.weightBytes;
    const states = (1e3 * part.stateBytes) / roofs.stateBytes;
    // The bytes come one after the other, the arithmetic is done beside them.
    const bytes = weights + states;
    const bytesBound = weights > states ? 'weights' : 'states';
    return rowOf(part, {
      share: part.milliseconds / pass.milliseconds,
      limitMilliseconds: Math.max(arithmetic, bytes),
      boundBy: arithmetic >= bytes ? 'arithmetic' : bytesBound,
    });
  });
}

/** Rows as one, under a new name; its limit is that of the rows one after the other. */
export function sumOf(path: string, rows: readonly Row[]): Row {
  const total = (value: (row: Row) => number) => rows.reduce((sum, row) => sum + value(row), 0);
  const limitBy = (bound: Bound) => total((row) => (row.boundBy === bound ? row.limitMilliseconds : 0));
  const part = {
    path,
    flops: total(({ flops }) => flops),
    weightBytes: total(({ weightBytes }) => weightBytes),
    stateBytes: total(({ stateBytes }) => stateBytes),
    milliseconds: total(({ milliseconds }) => milliseconds),
  };
  return rowOf(part, {
    share: total(({ share }) => share),
    limitMilliseconds: total(({ limitMilliseconds }) => limitMilliseconds),
    boundBy: bounds.reduce((most, bound) => (limitBy(bound) > limitBy(most) ? bound : most)),
  });
}

/** Rows of one name each, in the order of their first. */
export function groupsOf(rows: readonly Row[], nameOf: (row: Row) => string): Row[] {
  const names = [...new Set(rows.map(nameOf))];
  return names.map((name) =>
    sumOf(
      name,
      rows.filter((row) => nameOf(row) === name),
    ),
  );
}

function rowOf(part: ProfiledPart, limit: Pick<Row, 'share' | 'limitMilliseconds' | 'boundBy'>): Row {
  const { flops, weightBytes, stateBytes, milliseconds } = part;
  // A browser's clock may see no time at all in a short part.
  const rate = (amount: number) => (milliseconds > 0 ? amount / milliseconds : 0);
  return {
    ...part,
    ...limit,
    gflops: rate(flops) / 1e6,
    gigabytesPerSecond: rate(weightBytes + stateBytes) / 1e6,
    ofLimit: rate(limit.limitMilliseconds),
  };
}
