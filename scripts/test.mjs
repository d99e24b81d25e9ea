// Runs the checks: node scripts/test.mjs [stage [name ...] ...] [--debug] [--no-build] [--verbose]
//   npm test                      every stage
//   npm test node native          these two stages; all of them are listed in test/stages.mjs
//   npm test node -- families     the package's test files with "families" in their names
//   npm test native -- Attention  the C++ tests with "Attention" in their names; GoogleTest's filters work too
// What a stage tests is built first, which takes a moment if nothing changed; with several stages, what later ones need is
// built while the first ones test.
//   --debug     runs `node` with the debug build (build.mjs --debug: assertions and symbols), except for engine_lifetime
//   --no-build  tests what was built last, with a notice; what tests need and is missing is still installed

import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ExpectedError, run, runMain, say, step } from './lib/console.mjs';
import { Needs } from './test/needs.mjs';
import { installed, noTest, stages } from './test/stages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Reads the command line: a word that is not the name of a stage narrows the stage before it. */
export function planOf(words) {
  const plan = [];
  const known = `Stages: ${Object.keys(stages).join(' ')}`;
  for (const word of words) {
    const last = plan.at(-1);
    if (Object.hasOwn(stages, word)) plan.push({ name: word, names: [] });
    else if (!last) throw new ExpectedError(`Unknown: ${word}. ${known}`);
    else if (!stages[last.name].narrows)
      throw new ExpectedError(`${word} is not a stage, and ${last.name} cannot be narrowed. ${known}`);
    else last.names.push(word);
  }
  return plan.length > 0 ? plan : Object.keys(stages).map((name) => ({ name, names: [] }));
}

/** The lines in which test runners report the number of tests. */
function summaryOf(output) {
  const lines = output.split('\n').map((line) => line.trim());
  const counts = lines.filter((line) =>
    /^(ℹ|#) (tests|pass|fail) \d+|\d+% tests passed|^\[ +PASSED +\]|^Tests\s+\d+ passed|^Ran \d+ tests/.test(
      line,
    ),
  );
  return counts.map((line) => line.replace(/^(ℹ|#) /, '')).join(', ');
}

async function runStage({ name, names }, { debug, verbose }) {
  const { title, commands } = stages[name];
  const summaries = [];
  const env = { NO_COLOR: '1', ...(debug ? { NODE_OPTIONS: withDebugDist() } : {}) };
  await step([title, ...names].join(' '), async () => {
    for (const [command, ...args] of commands(names, debug)) {
      const output = await run(command, args, { cwd: root, verbose, withErrors: true, env });
      // GoogleTest reports this as a success.
      if (/^\[ +PASSED +\] 0 tests|^Ran 0 tests/m.test(output)) throw noTest(name, names);
      summaries.push(summaryOf(output));
    }
  });
  const summary = summaries.filter(Boolean).join('; ');
  if (summary) say(`    ${summary}`);
}

const withDebugDist = () =>
  `${process.env.NODE_OPTIONS ?? ''} --import=${pathToFileURL(join(root, 'scripts/lib/debug_dist.mjs'))}`;

/**
 * Options and words of a command line. npm takes what stands before `--` for itself: of `npm test node --no-build` it passes
 * `npm_config_build=''` on, which it does not set otherwise.
 */
export function parseCommandLine(args, environment) {
  const flag = { type: 'boolean', default: false };
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { debug: flag, 'no-build': flag, verbose: flag },
    });
    return {
      values: { ...values, 'no-build': values['no-build'] || environment.npm_config_build === '' },
      positionals,
    };
  } catch (error) {
    throw new ExpectedError(error.message);
  }
}

/** The seconds of each stage, waiting for what it needs and testing apart: `times` in milliseconds. */
export function tableOfTimes(times) {
  const sum = (key) => times.reduce((total, time) => total + time[key], 0);
  const all = { name: 'all', building: sum('building'), testing: sum('testing') };
  const seconds = (time) => `${(time / 1000).toFixed(1)} s`.padStart(10);
  const rows = [...times, all].map(
    ({ name, building, testing }) => name.padEnd(10) + seconds(building) + seconds(testing),
  );
  return [`${'stage'.padEnd(10)}${'build'.padStart(10)}${'test'.padStart(10)}`, ...rows].join('\n');
}

async function main() {
  const { values, positionals } = parseCommandLine(process.argv.slice(2), process.env);
  const plan = planOf(positionals);
  if (values.debug && plan.some(({ name }) => name !== 'node'))
    throw new ExpectedError('--debug works with one stage only: npm test node -- --debug');
  if (values['no-build']) say('Not building: testing what was built last.');
  // At the start, so that passwords are asked for and downloads happen now.
  else if (positionals.length === 0)
    await run(process.execPath, [join(root, 'scripts/setup.mjs')], { cwd: root, verbose: true });

  const needs = new Needs(values);
  if (!values['no-build'] && plan.length > 1) needs.buildAhead(plan.map(({ name }) => stages[name].needs));
  const times = [];
  let failed = 0;
  for (const stage of plan) {
    const begin = performance.now();
    let built = begin;
    try {
      const wanted = stages[stage.name].needs;
      await needs.meet(values['no-build'] ? wanted.filter((need) => installed.includes(need)) : wanted);
      built = performance.now();
      await runStage(stage, values);
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      failed += 1;
      say(error.message);
    }
    const end = performance.now();
    // What failed to build has no time of tests.
    if (built === begin && !values['no-build']) built = end;
    times.push({ name: stage.name, building: built - begin, testing: end - built });
  }
  say(`\n${tableOfTimes(times)}`);
  say(`\nstages: ${plan.length - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
