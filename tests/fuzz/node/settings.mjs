// How long to fuzz, and from which seed: scripts/fuzz.mjs sets both variables, and reads how many inputs were executed.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

const times = Number(process.env.FUZZ_TIMES ?? 1);

let executed = 0;
process.on('exit', () => console.log(`${executed} inputs executed`));

/** For targets that draw for themselves: seeds from the first one on, as many as `runs` of a quick test ask for. */
export function seeds(runs) {
  const { numRuns, seed } = settings(runs);
  executed += numRuns;
  return { first: seed, count: numRuns };
}

/** @param runs of a quick test; FUZZ_TIMES multiplies them */
export function settings(runs) {
  return {
    numRuns: Math.ceil(runs * times),
    seed: Number(process.env.FUZZ_SEED ?? 20261122),
    // Looking for the smallest input that fails takes as long as the runs before it: for quick tests only.
    endOnFailure: times > 1,
    includeErrorInReport: true,
    reporter(details) {
      executed += details.numRuns;
      if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
    },
  };
}

/** The files of a target's corpus, as texts. */
export function corpus(target, ending) {
  const folder = join(import.meta.dirname, '../corpus', target);
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  return names.map((name) => readFileSync(join(folder, name), 'utf8'));
}
