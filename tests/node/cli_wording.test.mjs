// What a translation on the command line keeps, and its glossary.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const run = (...args) =>
  spawnSync(process.execPath, [cli, 'translate', '--threads', '1', ...args], { encoding: 'utf8' });

test('--keep, --glossary and the languages, for a text and for a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wording-'));
  const glossary = join(folder, 'terms.json');
  writeFileSync(glossary, '{"hungry": "affamé"}');
  const text = run('--keep', 'Cat,/d[a-z]g/', '--glossary', glossary, 'The Cat and the dog are hungry.');
  for (const kept of ['Cat', 'dog', 'affamé'])
    assert.ok(text.stdout.includes(kept), text.stdout + text.stderr);
  const file = join(folder, 'a.txt');
  writeFileSync(file, 'I have 1,234 cats.\n');
  const written = run(
    file,
    '--to-dir',
    `${folder}/out`,
    '--source-language',
    'en',
    '--target-language',
    'fr',
    '--keep',
    'cats',
  );
  assert.equal(written.status, 0, written.stderr);
  const translated = readFileSync(join(folder, 'out/a.txt'), 'utf8');
  assert.match(translated, /1\u202f234/);
  assert.match(translated, /cats/);
});

test('wrong values exit with 2 and name the flag', () => {
  for (const [flag, value] of [
    ['--keep', '/(/'],
    ['--glossary', '[1]'],
    ['--glossary', '/nowhere.json'],
    ['--source-language', '??'],
  ]) {
    const { status, stderr } = run(flag, value, 'a');
    assert.equal(status, 2, stderr);
    assert.ok(stderr.includes(flag), stderr);
  }
});
