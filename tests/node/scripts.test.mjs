// The scripts for building and testing: how they read a command line and detect changes.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { targets } from '../../scripts/build.mjs';
import { run } from '../../scripts/lib/console.mjs';
import { fingerprint } from '../../scripts/lib/fingerprint.mjs';
import { watchFolders } from '../../scripts/lib/watch_folders.mjs';
import { Needs, targetsOf } from '../../scripts/test/needs.mjs';
import { preparations, stages } from '../../scripts/test/stages.mjs';
import { parseCommandLine, planOf, tableOfTimes } from '../../scripts/test.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'scripts-'));
});
after(() => rmSync(folder, { recursive: true }));

describe('npm test', () => {
  test('runs every stage if none is named', () => {
    assert.deepEqual(
      planOf([]).map(({ name }) => name),
      Object.keys(stages),
    );
  });

  test('narrows a stage by the words after it', () => {
    assert.deepEqual(planOf(['node', 'families', 'tokenizer', 'native', 'Attention']), [
      { name: 'node', names: ['families', 'tokenizer'] },
      { name: 'native', names: ['Attention'] },
    ]);
  });

  test('takes --no-build also where npm has taken it', () => {
    const read = (args, environment = {}) => parseCommandLine(args, environment).values['no-build'];
    assert.equal(read(['node']), false);
    assert.equal(read(['node', '--no-build']), true);
    assert.equal(read(['node'], { npm_config_build: '' }), true);
  });

  test('rejects an unknown stage', () => {
    assert.throws(() => planOf(['nodes']), /Unknown: nodes\. Stages: lint /);
    assert.throws(() => planOf(['lint', 'bindings']), /lint cannot be narrowed/);
    assert.throws(() => stages.node.commands(['no_such_file']), /no test with 'no_such_file' in its name/);
  });

  test('ends with the seconds of each stage and their sum', () => {
    const times = [
      { name: 'native', building: 1500, testing: 250 },
      { name: 'node', building: 0, testing: 60_000 },
    ];
    assert.deepEqual(
      tableOfTimes(times)
        .split('\n')
        .map((row) => row.split(/ {2,}/)),
      [
        ['stage', 'build', 'test'],
        ['native', '1.5 s', '0.3 s'],
        ['node', '0.0 s', '60.0 s'],
        ['all', '1.5 s', '60.3 s'],
      ],
    );
  });

  test('builds ahead what build.mjs builds, each once, in the order of the stages', () => {
    assert.deepEqual(targetsOf([['npm'], ['wasm', 'js'], ['browser', 'js'], ['asan', 'wasm'], ['tsan']]), [
      'wasm',
      'js',
      'asan',
      'tsan',
    ]);
    const needs = Object.values(stages).map((stage) => stage.needs);
    // The native builds are slow, and the stages before them need none.
    assert.deepEqual(targetsOf(needs), ['wasm', 'js', 'native', 'asan', 'tsan']);
  });

  test('builds one target after the other, and says once what is wrong with one', async () => {
    const events = [];
    const needs = new Needs({}, async (target) => {
      events.push(`${target} begins`);
      await sleep(1);
      events.push(`${target} ends`);
      if (target === 'native') throw new Error('a line that does not compile');
    });
    needs.buildAhead([['wasm'], ['native'], ['asan', 'wasm']]);
    await needs.meet(['asan']);
    assert.deepEqual(events, [
      ...['wasm begins', 'wasm ends', 'native begins', 'native ends', 'asan begins', 'asan ends'],
    ]);
    await assert.rejects(needs.meet(['wasm', 'native']), /a line that does not compile/);
    await assert.rejects(needs.meet(['native']), /native is not built; see above/);
    assert.equal(events.length, 6);
  });

  test('can build everything that a stage requires', () => {
    for (const { needs } of Object.values(stages))
      for (const need of needs) assert.ok(need in targets || need in preparations, need);
  });
});

test('steps that overlap say which of them has ended', async () => {
  const output = await run(process.execPath, [
    '--input-type=module',
    '-e',
    `import { step } from ${JSON.stringify(new URL('../../scripts/lib/console.mjs', import.meta.url))};
     let end;
     const long = step('long', () => new Promise((resolve) => { end = resolve; }));
     await step('short', async () => {});
     end();
     await long;
     await step('last', async () => {});`,
  ]);
  assert.match(output, /^long \.\.\.\nshort \.\.\. 0\.0 s\nlong: 0\.\d s\nlast \.\.\. 0\.0 s\n$/);
});

// `npm start` and `npm test` install the npm packages themselves, so that they must get that far without them.
test('what a newcomer types starts in a checkout without npm packages', async () => {
  const checkout = join(folder, 'checkout');
  const isOurs = (path) => !path.split(sep).includes('node_modules');
  cpSync(join(repository, 'scripts'), join(checkout, 'scripts'), { recursive: true, filter: isOurs });
  cpSync(join(repository, 'package.json'), join(checkout, 'package.json'));
  for (const name of ['start', 'test', 'setup', 'build'])
    await run(process.execPath, ['-e', `import('./scripts/${name}.mjs')`], { cwd: checkout });
});

test('a fingerprint depends on contents, names and number of files, but not on time', () => {
  const root = join(folder, 'prints');
  mkdirSync(join(root, 'a/b'), { recursive: true });
  const write = (name, text) => writeFileSync(join(root, name), text);
  const now = () => fingerprint(root, ['a', 'single', 'missing']);
  write('a/b/one', '1');
  write('single', '2');
  const first = now();
  write('single', '2');
  assert.equal(now(), first);
  write('a/b/one', '3');
  assert.notEqual(now(), first);
  write('a/b/one', '1');
  write('a/two', '');
  assert.notEqual(now(), first);
  rmSync(join(root, 'a/two'));
  assert.equal(now(), first);
  renameSync(join(root, 'a/b/one'), join(root, 'a/b/other'));
  assert.notEqual(now(), first);
});

test('a watcher sees files that are changed, replaced, and created in new folders', async () => {
  const root = join(folder, 'watched');
  const [old, made] = [join(root, 'old'), join(root, 'new')];
  mkdirSync(old, { recursive: true });
  const seen = new Set();
  const watching = watchFolders([root], (path) => seen.add(path));
  /** Repeats a change until it is seen: right after a folder is replaced, only the folder's own event is reported. */
  const sees = async (path, change) => {
    seen.clear();
    while (!seen.has(path)) {
      change();
      await sleep(20);
    }
  };
  try {
    const file = join(old, 'file');
    await sees(file, () => writeFileSync(file, '1'));
    await sees(file, () => {
      writeFileSync(`${file}~`, '2');
      renameSync(`${file}~`, file); // as editors do
    });
    await sees(made, () => mkdirSync(made, { recursive: true }));
    await sees(join(made, 'file'), () => writeFileSync(join(made, 'file'), '1'));
    await sees(old, () => {
      rmSync(old, { recursive: true });
      mkdirSync(old);
    });
    await sees(file, () => writeFileSync(file, '3'));
  } finally {
    watching.close();
  }
});
