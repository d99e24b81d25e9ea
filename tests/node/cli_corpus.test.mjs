// The guide's recipe for a corpus, as it stands there: it loses no line, and says so where one is missing.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { folderWithWords } from '../lib/tiny_folder.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const guide = new URL('../../web/docs/cli.md', import.meta.url);

let recipe;
let home;
before(async () => {
  const blocks = (await readFile(guide, 'utf8')).matchAll(/```sh\n(.*?)```/gs);
  recipe = [...blocks].map(([, block]) => block).find((block) => block.includes('parallel'));
});
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  await mkdir(join(home, 'bin'));
});
afterEach(() => rm(home, { recursive: true }));

/** Runs the recipe with parts of `size` lines, and `npx` as given. */
async function run(corpus, size, npx) {
  await writeFile(join(home, 'corpus.txt'), corpus);
  await writeFile(join(home, 'bin/npx'), `#!/bin/sh\n${npx}\n`);
  await chmod(join(home, 'bin/npx'), 0o755);
  return again(size);
}

function again(size) {
  const env = { ...process.env, PATH: join(home, 'bin') + delimiter + process.env.PATH };
  return spawnSync('sh', ['-c', recipe.replaceAll('10000', size)], { cwd: home, env, encoding: 'utf8' });
}

const translations = () => readFile(join(home, 'translations.txt'), 'utf8');

test('a part that fails in its middle is missed, and made by the next run', async () => {
  const corpus = ['I am hungry.', 'The cat sat.', 'We ran.', '', 'The dog is tired.', 'I am happy.'];
  // The second part breaks off after a line, once.
  const npx = `shift
if [ "$5" = 3 ] && ! [ -e broken ]; then touch broken; echo half; exit 1; fi
exec "${process.execPath}" "${cli}" "$@"`;
  const first = await run(corpus.join('\n'), '2', npx);
  assert.notEqual(first.status, 0);
  assert.match(first.stderr, /lines are missing/);
  assert.equal((await readdir(join(home, 'parts'))).filter((name) => name.endsWith('.out')).length, 2);
  const second = again('2');
  assert.equal(second.status, 0, second.stderr);
  const lines = (await translations()).split('\n');
  const expected = spawnSync(process.execPath, [cli, 'translate', '-'], {
    input: corpus.join('\n'),
    encoding: 'utf8',
  });
  assert.deepEqual(lines, expected.stdout.split('\n'));
});

// As many as have one, two and three digits: of each, `parallel` takes a tenth of a second.
test('120 parts keep every line, in order', async () => {
  const corpus = Array.from({ length: 359 }, (_, i) => `line ${i + 1}\n`).join('');
  const { status, stderr } = await run(corpus, '3', 'exec cat');
  assert.equal(status, 0, stderr);
  assert.equal(await translations(), corpus);
});

test('the programs for Spark, Ray and Dask, as they stand, with a stand-in for these', async () => {
  const labels = join(home, 'labels');
  await mkdir(labels);
  for (const [name, bytes] of folderWithWords('bert_seqcls')) await writeFile(join(labels, name), bytes);
  const corpus = ['I am hungry.', '', 'The dog is tired.', 'the cat', 'I am happy.'];
  await writeFile(join(home, 'corpus.txt'), `${corpus.join('\n')}\n`);
  const npx = `shift; exec node '${cli}' $(echo "$*" | sed 's|owner/name|${labels}|')`;
  await writeFile(join(home, 'bin/npx'), `#!/bin/sh\n${npx}\n`);
  await chmod(join(home, 'bin/npx'), 0o755);
  const env = { ...process.env, PATH: join(home, 'bin') + delimiter + process.env.PATH };
  const standIn = fileURLToPath(new URL('../lib/cluster_stand_in.py', import.meta.url));
  const args = [standIn, fileURLToPath(guide), join(home, 'corpus.txt')];
  const { stdout, stderr, status } = spawnSync('python3', args, { cwd: home, env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const { pipe, mapInPandas, ray, dask } = JSON.parse(stdout);
  const filter = (input, ...args) => spawnSync('node', [cli, ...args], { input, encoding: 'utf8' }).stdout;
  const wanted = filter(`${corpus.join('\n')}\n`, 'translate', '-')
    .split('\n')
    .slice(0, -1);
  assert.deepEqual(ray, wanted);
  assert.deepEqual(dask, wanted);
  assert.deepEqual(
    pipe.map((line) => JSON.parse(line).text ?? ''),
    wanted,
  );
  assert.deepEqual(
    mapInPandas.map(([id, text]) => [id, text]),
    corpus.map((text, id) => [id, text]),
  );
  for (const [, text, label] of mapInPandas)
    if (text === '') assert.equal(label, null);
    else assert.match(label, /^LABEL_\d$/);
});
