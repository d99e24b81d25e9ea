// `npm run quick` compiles what has changed, and nothing else.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { changedSources } from '../../scripts/quick.mjs';

let home;
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'quick-'));
});
after(() => rm(home, { recursive: true }));

/** A file of an age in seconds. */
async function put(path, age) {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '');
  const time = Date.now() / 1000 - age;
  await utimes(file, time, time);
}

test('sources that are newer than what was compiled from them', async () => {
  await put('bindings/old.ts', 20);
  await put('made/old.js', 10);
  await put('bindings/room/edited.ts', 5);
  await put('made/room/edited.js', 10);
  await put('bindings/room/created.ts', 20);
  await put('bindings/worker/worker.ts', 20);
  await put('made/wasm/worker.js', 10);
  await put('bindings/modules/inline_glue.ts', 5);
  await put('bindings/types.d.ts', 5);
  await put('bindings/README.md', 5);
  const changed = () => changedSources(join(home, 'bindings'), join(home, 'made'));
  assert.deepEqual(changed(), ['room/created.ts', 'room/edited.ts']);
  await put('bindings/worker/worker.ts', 0);
  assert.deepEqual(changed(), ['room/created.ts', 'room/edited.ts', 'worker/worker.ts']);
});
