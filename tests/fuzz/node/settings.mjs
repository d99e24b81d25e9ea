// How long to fuzz, and from which seed: scripts/fuzz.mjs sets both variables.

const times = Number(process.env.FUZZ_TIMES ?? 1);

/** @param runs of a quick test; FUZZ_TIMES multiplies them */
export function settings(runs) {
  return {
    numRuns: Math.ceil(runs * times),
    seed: Number(process.env.FUZZ_SEED ?? 20261122),
    // Looking for the smallest input that fails takes as long as the runs before it: for quick tests only.
    endOnFailure: times > 1,
    includeErrorInReport: true,
  };
}
