// Every file and folder that CONTRIBUTING names exists, and every room has its line.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { importFloors, includeFloors } from '../../scripts/layers/rooms.mjs';
import { stages } from '../../scripts/test/stages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, '.github/CONTRIBUTING.md'), 'utf8');

/** Files of a folder, and of those in it, by their names without folders. */
const namesBelow = (folder) =>
  readdirSync(join(root, folder), { recursive: true }).map((path) => basename(path));

test('the files and folders that are named exist', () => {
  const named = [...text.matchAll(/`([\w./-]+)`/g)].map(([, name]) => name);
  const isPath = (name) => /^(src|bindings|scripts|tests|web)\//.test(name) && !/NAME/.test(name);
  const isFile = (name) => /^\w+(\.test)?\.(h|cpp|ts|mjs|py|yml)$/.test(name);
  const paths = named.filter(isPath);
  assert.ok(paths.length > 40, `${paths.length} paths`);
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(root, path))),
    [],
  );
  const names = new Set(['src', 'bindings', 'scripts', 'tests', '.github'].flatMap(namesBelow));
  assert.deepEqual(
    named.filter(isFile).filter((name) => !names.has(name)),
    [],
  );
});

test('the folders of NAME in the lists exist', () => {
  const folders = [...text.matchAll(/`((?:src|bindings|tests)\/[\w/]*)\/\w*NAME[\w.]*`/g)].map(
    ([, path]) => path,
  );
  assert.ok(folders.length > 5);
  assert.deepEqual(
    folders.filter((path) => !existsSync(join(root, path))),
    [],
  );
});

test('each room of the layer check stands in the map', () => {
  const map = text.slice(text.indexOf('## The rooms'), text.indexOf('A room uses only'));
  const rooms = [...includeFloors.flat(), ...importFloors.flat()]
    .filter((room) => !room.endsWith('.ts') && room !== 'bindings')
    .map((room) => basename(room));
  assert.deepEqual(
    rooms.filter((room) => !new RegExp(`\\b${room}\\b`).test(map)),
    [],
  );
});

test('the stages are named in their order', () => {
  assert.ok(text.includes(`one stage: ${Object.keys(stages).join(' ')}\n`));
});
