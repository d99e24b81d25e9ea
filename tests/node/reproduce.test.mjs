// The hashes of what is built, and what decides whether CMake's cache is that of this checkout.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../../dist/index.js';
import { differences, hashesOf, nameWasm } from '../../scripts/build/hashes.mjs';
import { stampOf } from '../../scripts/build.mjs';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const listed = readFileSync(join(dist, 'HASHES'), 'utf8');

test('dist/HASHES lists every file of dist with its hash', () => {
  assert.equal(listed, hashesOf(dist));
  assert.match(listed, /^[\da-f]{64} {2}index\.js$/m);
});

for (const options of [{ threads: 1 }, { threads: 2 }, { threads: 1, worker: true }])
  test(`an engine names the .wasm file that it runs: ${JSON.stringify(options)}`, async () => {
    const engine = await createEngine(options);
    const { variant, wasmHash } = engine.info;
    assert.ok(listed.includes(`${wasmHash}  wasm/transformer-${variant}.wasm\n`), wasmHash);
    await engine.dispose();
  });

test('a module that does not export its factory is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hashes-'));
  await writeFile(join(folder, 'a.wasm'), '');
  await writeFile(join(folder, 'a.mjs'), 'export default make;\n');
  nameWasm(join(folder, 'a.mjs'));
  assert.match(
    readFileSync(join(folder, 'a.mjs'), 'utf8'),
    /^make\.wasmHash = 'e3b0c442[\da-f]{56}';\nexport default make;\n$/,
  );
  await writeFile(join(folder, 'a.mjs'), 'export { make };\n');
  assert.throws(() => nameWasm(join(folder, 'a.mjs')), /does not export its factory/);
  await rm(folder, { recursive: true });
});

test('files that differ, or are missing on one side, are named', () => {
  const [a, b] = ['a', 'b'].map((digit) => digit.repeat(64));
  assert.deepEqual(differences(`${a}  x\n${a}  y\n`, `${a}  y\n${a}  x\n`), []);
  assert.deepEqual(differences(`${a}  x\n${a}  y\n`, `${b}  y\n${a}  z z\n`), ['x', 'y', 'z z']);
});

test('a copied or moved checkout configures anew', () => {
  const like = { root: '/one', command: ['cmake'], options: [], presets: '{}' };
  assert.equal(stampOf(like), stampOf({ ...like }));
  for (const change of [
    { root: '/other' },
    { command: ['emcmake'] },
    { options: ['-DA=1'] },
    { presets: '{ }' },
  ])
    assert.notEqual(stampOf({ ...like, ...change }), stampOf(like));
});
