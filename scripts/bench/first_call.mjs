// How much longer the first call of a model takes than later ones: node scripts/bench/first_call.mjs [--rounds 7]; also npm run
// bench:first
//
// Each round starts a process for each case: the base model in a worker, called as soon as it is loaded, or after a pause, in which it warms up.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { filesOf } from './ours.mjs';
import { rows } from './rows/index.mjs';
import { median } from './timing.mjs';

const calls = 10;
const tokens = 64;
const pauses = [0, 300];

const cases = ['f32', 'int8'].flatMap((dtype) =>
  [1, 2].flatMap((threads) => ['forward', 'generate'].map((call) => ({ dtype, threads, call }))),
);

/** The child process: prints the times of the calls as JSON. */
async function measure({ dtype, threads, call, pause }) {
  const { createEngine, loadModel } = await import('../../dist/index.js');
  const row = rows.find(({ name }) => name === 'base decoding, 64 tokens after 64');
  const engine = await createEngine({ threads, worker: true });
  const model = await loadModel(filesOf(row.problem()), { engine, dtype });
  await new Promise((resolve) => setTimeout(resolve, pause));
  const ids = Array.from({ length: tokens }, (_, i) => 5 + 7 * i);
  const times = [];
  for (let i = 0; i < calls; i++) {
    const begin = performance.now();
    if (call === 'forward') await model.forward({ inputIds: [ids], decoderInputIds: [ids] });
    else await model.generate(ids, { maxNewTokens: 16 });
    times.push(performance.now() - begin);
  }
  console.log(JSON.stringify(times));
  await engine.dispose();
}

function timesOf(what) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), '--case', JSON.stringify(what)],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The first call and the median of the last five, in milliseconds, and their ratio: medians over the rounds. */
function report(rounds) {
  const seen = rounds.map((times) => ({ first: times[0], later: median(times.slice(-5)) }));
  const first = median(seen.map((round) => round.first));
  const later = median(seen.map((round) => round.later));
  const ratio = median(seen.map((round) => round.first / round.later));
  return `${first.toFixed(0).padStart(5)} ${later.toFixed(0).padStart(5)} ${ratio.toFixed(2).padStart(6)}`;
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, case: { type: 'string' } },
});
if (values.case) {
  await measure(JSON.parse(values.case));
} else {
  console.log(
    'milliseconds: first call, later ones, ratio'.padEnd(48),
    ...pauses.map((ms) => `after ${ms} ms`.padEnd(20)),
  );
  for (const what of cases) {
    const rounds = pauses.map(() => []);
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [i, pause] of pauses.entries()) rounds[i].push(timesOf({ ...what, pause }));
    const { dtype, threads, call } = what;
    const name = `${dtype}, ${threads === 1 ? '1 thread' : `${threads} threads`}, ${call}`;
    console.log(name.padEnd(48), ...rounds.map((all) => report(all).padEnd(20)));
  }
}
