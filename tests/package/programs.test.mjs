// The five programs of web/examples/programs, as they stand, with the released package: the tarball, installed beside them.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installPackage } from '../lib/installed_package.mjs';
import { readSpeechCase, tones } from '../lib/speech.mjs';
import { folderWithWords, pathOfCase } from '../lib/tiny_folder.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const programs = join(root, 'web/examples/programs');

let installed;
let home;
before(async () => {
  installed = await installPackage();
  home = installed.app;
  await cp(programs, home, { recursive: true });
});
after(() => installed?.remove());

async function write(name, files) {
  await mkdir(join(home, name));
  for (const [file, bytes] of files) await writeFile(join(home, name, file), bytes);
}

/** Runs a program to its end, which it must reach by itself. */
async function run(args, input = '') {
  const child = spawn(process.execPath, args, { cwd: home });
  const streams = [child.stdout, child.stderr].map(async (stream) => {
    const pieces = [];
    for await (const piece of stream) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  });
  child.stdin.end(input);
  const code = new Promise((resolve) => {
    child.on('close', resolve);
  });
  const [stdout, stderr] = await Promise.all(streams);
  assert.equal(await code, 0, stderr);
  return { stdout, stderr };
}

test('each has at most 20 lines', async () => {
  const names = await readdir(programs);
  assert.equal(names.length, 5);
  for (const name of names) {
    const lines = (await readFile(join(programs, name), 'utf8')).trimEnd().split('\n');
    assert.ok(lines.length <= 20, `${name}: ${lines.length}`);
  }
});

test('csv: a label for each row, none for an empty cell, and progress', async () => {
  await write('classifier', folderWithWords('bert_seqcls'));
  const rows = ['the cat,1', '"the mat, sat ""on""",2', ',3', '"the\ncat",4'];
  await writeFile(join(home, 'in.csv'), `text,id\n${rows.join('\n')}\n`);
  const { stderr } = await run(['csv.mjs', 'in.csv', 'out.csv', 'classifier']);
  const written = await readFile(join(home, 'out.csv'), 'utf8');
  const pattern = rows.map((row) => row.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const label = '(LABEL_\\d)';
  const found = written.match(
    new RegExp(
      `^text,id,label\n${pattern[0]},${label}\n${pattern[1]},${label}\n${pattern[2]},\n${pattern[3]},${label}\n$`,
    ),
  );
  assert.ok(found, written);
  assert.match(stderr, /\r4 of 4 rows, 1 without a label\n$/);
});

test('search: the nearest of 1,000 sentences', async () => {
  const words = ['the', 'cat', 'sat', 'on', 'mat', 'dog', 'red', 'is'];
  const sentences = Array.from({ length: 1000 }, (_, i) =>
    Array.from({ length: 3 + (i % 4) }, (_, k) => words[(i * 7 + k * k * 3 + (i >> 3)) % words.length]).join(
      ' ',
    ),
  );
  await writeFile(join(home, 'sentences.txt'), sentences.join('\n'));
  const { stdout } = await run([
    'search.mjs',
    'sentences.txt',
    sentences[500],
    pathOfCase('sentence_transformer'),
  ]);
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 5);
  assert.equal(lines[0], `1.000 ${sentences[500]}`);
  const scores = lines.map((line) => Number(line.slice(0, 5)));
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
});

test('captions: what a stream says, as it comes', async () => {
  const speech = readSpeechCase('whisper_e2e');
  await write('whisper', speech.files());
  const samples = tones(speech.about.signals[0]);
  const { stdout } = await run(['captions.mjs', 'whisper'], Buffer.from(samples.buffer));
  const lines = stdout.trimEnd().split('\n');
  assert.ok(lines.length >= 1);
  assert.match(lines.at(-1), new RegExp(`^${(samples.length / 16000).toFixed(1)} s:.*\\w`));
});

test('attention: an SVG of a translation', async () => {
  const { stdout } = await run(['attention.mjs', 'The red car is big.', 'picture.svg']);
  assert.equal(stdout, 'La voiture rouge est grande.\n');
  const svg = await readFile(join(home, 'picture.svg'), 'utf8');
  assert.match(svg, /<title>Cross-attention, layer \d, mean of all heads<\/title>/);
  assert.match(svg, /rouge → ▁?red: \d/);
});

test('chat: several turns, with the template of the model', async () => {
  const chat_template = "{% for one in messages %}{{ one['role'] }}: {{ one['content'] }}\n{% endfor %}";
  await write('chat', folderWithWords('llama', {}, { 'tokenizer_config.json': { chat_template } }));
  const { stdout } = await run(['chat.mjs', './chat'], 'the cat\nthe mat\n\nnot read\n');
  assert.equal(stdout.split('\n').length, 3);
});
