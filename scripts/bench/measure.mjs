// Measures rows in Node.js or in a page, whichever runs this.

import { agreement } from './agreement.mjs';
import { isAsked, rows } from './rows/index.mjs';
import { openSides } from './sides.mjs';
import { median, timesOf } from './timing.mjs';

/** Measures the rows selected by `only` on these sides; calls `report` with each result as soon as it is known. */
export async function measure({ packages, sides, threads, simd, worker, rounds, only, report }) {
  const open = await openSides(sides, packages, { threads, simd, worker });
  const info = [...open.values()].find(({ engine }) => engine)?.engine.info;
  for (const { problem, ...row } of rows.filter(({ name }) => isAsked(name, only))) {
    const solvers = new Map();
    const given = problem();
    for (const [side, { prepare }] of open)
      if (prepare[row.kind]) solvers.set(side, await prepare[row.kind](given));
    const agreements = await compare({ ...row, ...given }, open, solvers);
    const results = {};
    for (const [side, times] of await timesOf(solvers, rounds)) {
      const [low, high] = [Math.min(...times), Math.max(...times)];
      const { way } = solvers.get(side);
      results[side] = { median: median(times), low, high, times, ...agreements.get(side), way };
    }
    await report({ ...row, threads, variant: info?.variant, worker: info?.worker, results });
    for (const { dispose } of solvers.values()) await dispose();
  }
  for (const { dispose } of open.values()) await dispose();
}

/** Compares every side with what is expected, or else with the first one, which computes in float32. */
async function compare({ name, kind, expected }, open, solvers) {
  const agreements = new Map();
  for (const [side, { run, read }] of solvers) {
    const found = read(await run());
    expected ??= found;
    try {
      agreements.set(side, agreement({ kind, dtype: open.get(side).dtype }, found, expected));
    } catch (error) {
      throw new Error(`${name}: ${side} ${error.message}`);
    }
  }
  return agreements;
}
