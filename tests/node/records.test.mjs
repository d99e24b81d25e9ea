// A thing that is added by its record alone is read, explained and refused like all others: CONTRIBUTING's "How to add".

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const at = (path) => import(`../../build/modules/${path}.js`);

test('a command with flags of its own', async () => {
  const { command, runCommand } = await at('cli/command');
  const { count, isSet, oneOf, positive, UsageError } = await at('cli/flags');
  const runs = [];
  const dance = command({
    args: 'FLOOR',
    summary: 'dances',
    about: 'Dances on FLOOR.',
    flags: {
      steps: count(
        'how many steps to take, one after the other, until the music ends or the floor does, whichever is first',
      ),
      style: oneOf(['waltz', 'tango'], 'which dance'),
      tempo: { ...positive('beats per second'), needed: 'a tempo: --tempo X' },
      loud: isSet('with music'),
    },
    examples: ['dance here --tempo 2'],
    run: async (positionals, values) => void runs.push([positionals, values]),
  });
  const run = (...args) => runCommand(args, { dance });

  await run('dance', 'here', '--steps', '3', '--style', 'tango', '--tempo', '1.5', '--loud');
  await run('--tempo', '2', 'dance');
  assert.deepEqual(runs, [
    [['here'], { steps: 3, style: 'tango', tempo: 1.5, loud: true }],
    [[], { tempo: 2 }],
  ]);

  const refused = async (args, message) =>
    assert.rejects(
      run('dance', ...args),
      (error) => error instanceof UsageError && error.message === message,
    );
  await refused([], 'dance needs a tempo: --tempo X');
  await refused(['--steps', '0', '--tempo', '1'], "--steps must be an integer, at least 1, got '0'");
  await refused(['--style', 'polka'], "--style must be one of waltz, tango, got 'polka'");
  await refused(['--tempo=-1'], "--tempo must be a number above 0, got '-1'");
  await assert.rejects(run('sing'), /unknown command 'sing'; commands are dance/);

  const printed = [];
  const { write } = process.stdout;
  process.stdout.write = (text) => printed.push(text) > 0;
  try {
    await run('dance', '--help');
    await run('--help');
  } finally {
    process.stdout.write = write;
  }
  assert.match(printed[0], /^Usage: transformer-wasm dance FLOOR \[OPTIONS\]\n\nDances on FLOOR\.\n/);
  assert.match(printed[0], /^ {2}--style waltz\|tango {3}which dance$/m);
  assert.match(printed[0], /^ {2}--loud {16}with music$/m);
  assert.match(printed[0], /^Example:\n {2}transformer-wasm dance here --tempo 2$/m);
  for (const line of printed[0].split('\n')) assert.ok(line.length <= 120, line);
  assert.match(printed[1], /^ {2}dance {17}dances$/m);
});

test('the guide has a row for each task of the pipeline, under all of its names', async () => {
  const { aliases, tasks } = await at('model/pipelines');
  const guide = readFileSync(new URL('../../web/docs/tasks.md', import.meta.url), 'utf8');
  const table = guide.slice(guide.indexOf('| task | call | result |'));
  const rows = [...table.matchAll(/^\| (`.*?`) \|/gm)].map(([, names]) =>
    names.split(', ').map((name) => name.slice(1, -1)),
  );
  const isPattern = (name) => name === 'translation_xx_to_yy';
  const expected = Object.keys(tasks).map((task) =>
    [task, ...Object.keys(aliases).filter((alias) => aliases[alias] === task)].join(),
  );
  assert.deepEqual(
    rows.map((names) => names.filter((name) => !isPattern(name)).join()).sort(),
    expected.sort(),
  );
});
