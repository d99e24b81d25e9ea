// npm run bench:first [-- --rounds 7]
// How much longer the first call of a model takes than later ones. Each round starts a process for each case, with the base model
// in a worker: it is called as soon as it is loaded, or after a pause, in which it warms up.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { run, runMain, say } from '../lib/console.mjs';
import { filesOf } from './ours.mjs';
import { decodingRows } from './rows/decoding.mjs';
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
  const engine = await createEngine({ threads, worker: true });
  const model = await loadModel(filesOf(decodingRows[0].problem()), { engine, dtype });
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

async function timesOf(what) {
  const script = fileURLToPath(import.meta.url);
  return JSON.parse(await run(process.execPath, [script, '--measure', JSON.stringify(what)]));
}

/** The first call and the median of the last five, in milliseconds, and their ratio: medians over the rounds. */
function report(rounds) {
  const seen = rounds.map((times) => ({ first: times[0], later: median(times.slice(-5)) }));
  const first = median(seen.map((round) => round.first));
  const later = median(seen.map((round) => round.later));
  const ratio = median(seen.map((round) => round.first / round.later));
  return `${first.toFixed(0).padStart(5)} ${later.toFixed(0).padStart(5)} ${ratio.toFixed(2).padStart(6)}`;
}

const printRow = (name, columns) => say(name.padEnd(30) + columns.map((text) => text.padEnd(20)).join(''));

async function main() {
  const options = { rounds: { type: 'string', default: '7' }, measure: { type: 'string' } };
  const { values } = parseArgs({ options });
  if (values.measure) return measure(JSON.parse(values.measure));
  say('milliseconds: the first call, later ones; their ratio');
  printRow(
    '',
    pauses.map((pause) => `after ${pause} ms`),
  );
  for (const what of cases) {
    const rounds = pauses.map(() => []);
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [i, pause] of pauses.entries()) rounds[i].push(await timesOf({ ...what, pause }));
    printRow(`${what.dtype}, threads: ${what.threads}, ${what.call}`, rounds.map(report));
  }
}

await runMain(main);
