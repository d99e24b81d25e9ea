// Measures rows in Node.js or in a page, whichever runs this: all sides in turn, round by round, so that a machine that
// slows down slows all.

import { openOurs } from './ours.mjs';
import { openOnnxruntime } from './rivals/onnxruntime.mjs';
import { rows } from './rows/index.mjs';

/** How long a side computes before the next one's turn. */
const turnMilliseconds = 100;
/** Between two turns, for threads that spin a while after their work: see `settle`. */
const settleMilliseconds = 30;

const sides = {
  ours: (packages, options) => openOurs(packages, { ...options, dtype: 'f32' }),
  onnxruntime: (packages, options) => openOnnxruntime(packages, { ...options, dtype: 'f32' }),
};

/** The largest difference, as a share of the largest value. */
function difference(a, b) {
  if (a.length !== b.length) return Number.NaN;
  let largest = 0;
  let scale = 0;
  for (let i = 0; i < a.length; i++) {
    largest = Math.max(largest, Math.abs(a[i] - b[i]));
    scale = Math.max(scale, Math.abs(b[i]));
  }
  return largest / scale;
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function timeOf({ run }, repeats) {
  const start = performance.now();
  for (let i = 0; i < repeats; i++) await run();
  return (performance.now() - start) / repeats;
}

/** Milliseconds a call of each side, a number for each round. */
async function compare(prepared, rounds) {
  const turns = [];
  for (const [side, solver] of prepared) {
    await solver.run();
    const repeats = Math.max(1, Math.round(turnMilliseconds / (await timeOf(solver, 1))));
    turns.push({ side, solver, repeats, times: [] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { solver, repeats, times } of turns) {
      await sleep(settleMilliseconds);
      times.push(await timeOf(solver, repeats));
    }
  }
  return turns;
}

/** The results of all sides must be the same: ids one by one, numbers up to rounding. */
async function check(name, kind, prepared) {
  const [[, ours], ...others] = prepared;
  const expected = ours.read(await ours.run());
  for (const [side, solver] of others) {
    const found = solver.read(await solver.run());
    const departs =
      kind === 'decoding' ? (`${[...found]}` === `${[...expected]}` ? 0 : 1) : difference(found, expected);
    if (!(departs < 1e-3)) throw new Error(`${name}: ${side} departs by ${departs} of the largest value`);
  }
}

/** Runs every row whose name holds `only`; `report` gets each result as it is there. */
export async function measure({ packages, threads, simd, worker, rounds, only, report }) {
  const open = new Map();
  for (const [side, make] of Object.entries(sides))
    open.set(side, await make(packages, { threads, simd, worker }));
  const { info } = open.get('ours').engine;
  for (const { name, kind, flops, tokens, stepBytes, problem } of rows) {
    if (!name.includes(only)) continue;
    const given = problem();
    const prepared = [];
    for (const [side, { prepare }] of open)
      if (prepare[kind]) prepared.push([side, await prepare[kind](given)]);
    await check(name, kind, prepared);
    const turns = await compare(prepared, rounds);
    const results = Object.fromEntries(
      turns.map(({ side, times, solver: { way } }) => [
        side,
        { median: median(times), min: Math.min(...times), max: Math.max(...times), times, way },
      ]),
    );
    report({ name, threads, variant: info.variant, worker: info.worker, flops, tokens, stepBytes, results });
    for (const [, { dispose }] of prepared) await dispose();
  }
  for (const { dispose } of open.values()) await dispose();
}
