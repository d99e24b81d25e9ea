// TypeScript's message about a wrong option names that option, not the input beside it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = await mkdtemp(join(root, 'build/option-errors-'));
after(() => rm(folder, { recursive: true }));

/** Calls that take an input of several kinds: up to the options. */
const calls = [
  "model.translate('text',",
  "model.translate(['text'],",
  "model.generate('text',",
  'model.generate([[1, 2]],',
  "model.classify('text',",
  "model.embed('text',",
  "joined.translate('text',",
  ...['translation', 'text-generation', 'text-classification', 'fill-mask', 'token-classification'].map(
    (task) => `(await pipeline('${task}', model))('text',`,
  ),
  "(await pipeline('zero-shot-classification', model))('text', ['label'],",
  "(await pipeline('text-ranking', model))('query', ['text'],",
  "(await pipeline('question-answering', model))({ question: 'q', context: 'c' },",
  "(await pipeline('image-classification', model))('cat.png',",
  "(await pipeline('image-to-text', model))('cat.png',",
  "(await pipeline('automatic-speech-recognition', model))('talk.wav',",
];

test('a misspelt option, and a value of a wrong type', async () => {
  const lines = [
    "import type { Chain, Model } from '../../dist/index.js';",
    "import { pipeline } from '../../dist/pipeline.js';",
    'declare const model: Model, joined: Chain;',
    ...calls.flatMap((call) => [`await ${call} { nonsense: 1 });`, `await ${call} { signal: 'stop' });`]),
    'export {};',
  ];
  const file = join(folder, 'calls.ts');
  await writeFile(file, lines.join('\n'));
  const compiler = join(root, 'node_modules/.bin/tsc');
  const options = ['--noEmit', '--strict', '--ignoreConfig', '--skipLibCheck', '--pretty', 'false'];
  const { stdout } = await promisify(execFile)(compiler, [...options, '--module', 'nodenext', file]).catch(
    (error) => error,
  );
  const messages = new Map();
  let line = 0;
  for (const text of stdout.split('\n')) {
    const [, row] = /calls\.ts\((\d+),/.exec(text) ?? [];
    if (row) line = Number(row);
    messages.set(line, `${messages.get(line) ?? ''}${text}\n`);
  }
  for (const [i, call] of calls.entries()) {
    const misspelt = messages.get(4 + 2 * i) ?? 'no error';
    assert.match(misspelt, /'nonsense' does not exist in type/, `${call}: ${misspelt}`);
    const wrong = messages.get(5 + 2 * i) ?? 'no error';
    assert.match(
      wrong,
      /Type 'string' is not assignable to type 'AbortSignal'|types of property 'signal'/i,
      `${call}: ${wrong}`,
    );
  }
});
