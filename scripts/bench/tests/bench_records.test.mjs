// The numbers of README and of the guide are those of the runs that are kept.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { knownModels } from '../known_models.mjs';
import { newestOf } from '../known_tables.mjs';
import { chosen, madeFiles, readRecords } from '../numbers.mjs';
import { recordOf, textOf } from '../record.mjs';
import { parametersOf } from '../shapes/parts.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

test('tables and pictures are those that `npm run numbers` makes', () => {
  const files = madeFiles(readRecords(), read);
  assert.equal(files.size, 5);
  for (const [path, text] of files) assert.equal(read(path), text, `${path}: run npm run numbers`);
  assert.match(read('README.md'), /<!-- numbers: short -->/);
  for (const name of ['long', 'speech'])
    assert.match(read('web/docs/numbers.md'), new RegExp(`<!-- numbers: ${name} -->`));
});

test('a table changes with the newest record that has all of its rows', () => {
  const records = readRecords();
  const { current, other } = chosen(records);
  assert.notEqual(current.machine, other.machine);
  const newer = structuredClone(current);
  newer.date = '2100-01-01';
  newer.rows.find(
    ({ name, threads }) => name === 'base encoder, 64 tokens' && threads === 2,
  ).milliseconds.ours = 31.41;
  const partial = { ...newer, date: '2100-01-02', rows: newer.rows.slice(0, 4) };
  const readme = madeFiles([...records, newer, partial], read).get('README.md');
  assert.match(readme, /base model, 64 tokens \| 31\.4 \|/);
});

test('a run becomes a record: medians, and the medians of ratios in Chromium', () => {
  const row = (place) => ({
    place,
    name: 'GEMM 1 x 2 x 3',
    results: {
      ours: { median: 2.00049, times: [1, 2, 4] },
      onnxruntime: { median: 3, times: [3, 3, 2] },
    },
  });
  const run = {
    machine: 'a machine',
    date: '2026-11-25T08:00:00.000Z',
    commit: 'abcdef0',
    rows: [row('Node.js 20.0.0, 1 thread'), row('Chromium 156.0.1, 2 threads')],
  };
  const record = recordOf(run, 'onnxruntime-web 1.30');
  assert.deepEqual(record, {
    date: '2026-11-25',
    commit: 'abcdef0',
    machine: 'a machine',
    place: 'Chromium 156',
    rival: 'onnxruntime-web 1.30',
    rows: [
      {
        name: 'GEMM 1 x 2 x 3',
        threads: 2,
        milliseconds: { ours: 2, onnxruntime: 3 },
        ratios: { 'onnxruntime/ours': 1.5 },
      },
    ],
  });
  assert.deepEqual(JSON.parse(textOf(record)), record);
  assert.equal(recordOf({ ...run, rows: [row('Node.js 20.0.0, 1 thread')] }, ''), undefined);
});

test('the models that are listed are of families that load, and were measured in their shapes', () => {
  const record = newestOf(readRecords(join(root, 'scripts/bench/records/models')));
  const families = read('web/docs/families.md');
  const listed = read('web/docs/choosing.md');
  for (const { id, shape } of knownModels) {
    const { config, tensors } = shape();
    assert.ok(
      families.includes(`\`${config.model_type}\``),
      `${id}: ${config.model_type} is no family of the guide`,
    );
    const row = record.rows.find((one) => one.id === id);
    assert.ok(row, `${id} was not measured: npm run bench:models`);
    assert.deepEqual([row.family, row.parameters], [config.model_type, parametersOf(tensors)], id);
    assert.ok(listed.includes(`| \`${id}\` |`), `${id}: run npm run numbers`);
  }
  assert.equal(record.rows.length, knownModels.length);
});
