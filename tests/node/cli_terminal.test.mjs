// What a terminal would obey: names, words and messages from strangers' files never reach it as control characters.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { folderWithWords } from '../lib/tiny_folder.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const sources = fileURLToPath(new URL('../../bindings/', import.meta.url));
/** Sets the title of a terminal, clears it, and does the same with the control characters of eight bits. */
const attack = '\x1b]0;title\x07\x1b[2J\x9b2J\x7f';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  const files = folderWithWords('bert_seqcls', { id2label: { 0: attack, 1: attack, 2: attack } });
  for (const [file, bytes] of files) await writeFile(join(folder, file), bytes);
});
after(() => rm(folder, { recursive: true }));

const run = (before, args, input = '') =>
  spawnSync(process.execPath, [...before, cli, ...args], { input, encoding: 'utf8' });
/** Standard output is taken for a terminal. */
const watched = ['--import', 'data:text/javascript,process.stdout.isTTY = true'];
const classify = (...args) => ['classify', '--model', folder, '--threads', '1', ...args];

test('a label from a model: escaped for a terminal, as it is for a program', () => {
  const shown = run(watched, classify('the cat'));
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, /^\\u001b\]0;title\\u0007\\u001b\[2J\\u009b2J\\u007f\t/);
  assert.doesNotMatch(shown.stdout, control);
  assert.ok(run([], classify('the cat')).stdout.startsWith(attack));
  assert.doesNotMatch(run(watched, classify('the cat', '--json')).stdout, control);
});

test('messages: of a failing line, of a path, of an option', () => {
  const lines = run([], classify('--jsonl', '-'), `${attack}\n`);
  assert.equal(lines.status, 2);
  assert.doesNotMatch(lines.stderr + run(watched, classify('--jsonl', '-'), attack).stdout, control);
  for (const args of [
    ['inspect', attack],
    ['translate', '--model', attack, 'the cat'],
    ['quantize', attack, join(folder, 'out')],
    [attack],
  ]) {
    const { status, stdout, stderr } = run([], args);
    assert.notEqual(status, 0);
    assert.match(stderr + stdout, /\\u\{1b\}\]0;title\\u\{7\}/);
    assert.doesNotMatch(stderr + stdout, control);
  }
});

test('attend shades its cells where a terminal has colours', () => {
  const attend = (before, env) =>
    spawnSync(process.execPath, [...before, cli, 'attend', 'The red car is big.', '--threads', '1'], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    }).stdout;
  const plain = attend([], {});
  assert.doesNotMatch(plain, control);
  const shown = attend(watched, { FORCE_COLOR: '2' });
  const pieces = shown.replaceAll('\x1b', '~');
  const cells = [...pieces.matchAll(/~\[48;5;(\d+)m~\[38;5;(?:232|255)m([^~]*)~\[0m/g)];
  assert.ok(cells.length > 10);
  const shadeOf = (percent) =>
    cells.filter(([, , text]) => Number(text) === percent).map(([, grey]) => +grey);
  const percents = cells.map(([, , text]) => Number(text)).filter((one) => one > 0);
  assert.ok(Math.max(...shadeOf(Math.max(...percents))) < Math.min(...shadeOf(Math.min(...percents))));
  assert.equal(pieces.replaceAll(/~\[[\d;]*m/g, ''), plain);
  assert.equal(attend(watched, { FORCE_COLOR: undefined, NO_COLOR: '1', TERM: 'xterm-256color' }), plain);
});

test('words that the model does not know', () => {
  const { stderr } = run([], ['translate', '--threads', '1', '\x9b2J\x1b[2Jfoo zyxgrault']);
  assert.match(stderr, /does not know/);
  assert.doesNotMatch(stderr, control);
});

test('one file alone writes to the streams of the process', async () => {
  const names = (await readdir(join(sources, 'cli'))).map((name) => `cli/${name}`);
  const writers = [];
  for (const name of ['cli.ts', ...names])
    if (/process\.(stdout|stderr)|\bconsole\.|writeSync\(/.test(await readFile(join(sources, name), 'utf8')))
      writers.push(name);
  assert.deepEqual(writers, ['cli/terminal.ts']);
});
