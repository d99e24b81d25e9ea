// How long to fuzz: `npm run fuzz` sets both variables.

/** @param runs of a quick test; FUZZ_TIMES multiplies them */
export function settings(runs) {
  const seed = process.env.FUZZ_SEED;
  return {
    numRuns: Math.round(runs * Number(process.env.FUZZ_TIMES ?? 1)),
    seed: seed === undefined ? 20261122 : Number(seed),
    endOnFailure: process.env.FUZZ_TIMES !== undefined,
  };
}
