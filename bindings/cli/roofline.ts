/**
 * Compares the parts of a pass with the machine's limits: the roofline model (Williams, Waterman and Patterson 2009).
 */

import type { ProfiledPart, ProfiledPass } from '../insight/profile.js';
import type { MachineLimits } from '../layers/engine.js';

/** Rates per second that the machine can sustain during a pass. */
export interface Roofs {
  readonly flops: number;
  /** Of products with weights: of integers, if those are integers. */
  readonly products: number;
  /**
   * For a buffer as large as all weights of the pass: each weight is read once per pass, so the cache is of no help.
   */
  readonly weightBytes: number;
  /** For a small buffer: each part reads what the previous part has just written. */
  readonly stateBytes: number;
}

export const roofsOf = (far: MachineLimits, near: MachineLimits, hasIntegers: boolean): Roofs => {
  const most = (rate: 'flopsPerSecond' | 'integerOpsPerSecond') => Math.max(far[rate], near[rate]);
  return {
    flops: most('flopsPerSecond'),
    products: most(hasIntegers ? 'integerOpsPerSecond' : 'flopsPerSecond'),
    weightBytes: far.bytesPerSecond,
    stateBytes: Math.max(far.bytesPerSecond, near.bytesPerSecond),
  };
};

const bounds = ['arithmetic', 'weights', 'states'] as const;

/** The resource that limits a part. */
export type Bound = (typeof bounds)[number];

/** A part, or several parts combined, with its limit. */
export interface Row extends ProfiledPart {
  /** Fraction of the pass's time, 0 to 1. */
  readonly share: number;
  readonly gflops: number;
  readonly gigabytesPerSecond: number;
  /** The time at the machine's limit. */
  readonly limitMilliseconds: number;
  /** Fraction of the limit that is reached, 0 to 1. */
  readonly ofLimit: number;
  readonly boundBy: Bound;
}

/** The limit of each part. */
export function rowsOf(pass: ProfiledPass, roofs: Roofs): Row[] {
  return pass.parts.map((part) => {
    const arithmetic = (1e3 * part.flops) / (part.weightBytes > 0 ? roofs.products : roofs.flops);
    const weights = (1e3 * part.weightBytes) / roofs.weightBytes;
    const states = (1e3 * part.stateBytes) / roofs.stateBytes;
    // Weights and states are transferred one after the other, overlapping with the arithmetic.
    const bytes = weights + states;
    const bytesBound = weights > states ? 'weights' : 'states';
    return rowOf(part, {
      share: part.milliseconds / pass.milliseconds,
      limitMilliseconds: Math.max(arithmetic, bytes),
      boundBy: arithmetic >= bytes ? 'arithmetic' : bytesBound,
    });
  });
}

/** Combines rows under a new name; their limits add up. */
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

/** Combines rows by name, in order of first occurrence. */
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
  // A browser's clock may be too coarse to measure a short part.
  const rate = (amount: number) => (milliseconds > 0 ? amount / milliseconds : 0);
  return {
    ...part,
    ...limit,
    gflops: rate(flops) / 1e6,
    gigabytesPerSecond: rate(weightBytes + stateBytes) / 1e6,
    ofLimit: rate(limit.limitMilliseconds),
  };
}
