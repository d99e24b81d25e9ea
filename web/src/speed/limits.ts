/** The time that the machine's limits allow: the roofline model (Williams, Waterman and Patterson 2009). */

import type { ProfiledPart } from 'transformer-wasm';
import type { Limits } from './report.js';

/** What a computation needs: operations, bytes of weights, and bytes of what is computed with them. */
export type Work = Pick<ProfiledPart, 'flops' | 'weightBytes' | 'stateBytes'>;

/**
 * Weights come from memory once, states from the caches; both are read while others are multiplied. The parts of a pass
 * follow each other, so their limits add up.
 *
 * @returns milliseconds
 */
export function limitOf(parts: readonly Work[], limits: Omit<Limits, 'threads'>): number {
  const times = parts.map(({ flops, weightBytes, stateBytes }) =>
    Math.max(
      flops / limits.flopsPerSecond,
      weightBytes / limits.bytesPerSecond + stateBytes / limits.nearBytesPerSecond,
    ),
  );
  return 1000 * times.reduce((sum, time) => sum + time, 0);
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
