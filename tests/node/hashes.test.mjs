// Hashes of results, as engine.info and `translate --hash` give them, are the same for any number of threads and any batch,
// padded or not, in a worker or here. tests/browser/hashes.test.ts compares browsers with Node.js.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createEngine, loadModel } from '../../dist/index.js';
import { hashesOf, texts } from '../lib/hashes.mjs';
import { repeatWithRelaxedSimd, variants } from '../lib/variants.mjs';

const execute = promisify(execFile);
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const folder = fileURLToPath(new URL('../../dist/models/en-fr', import.meta.url));
const { simd } = variants.at(-1);

/** All hashes of one engine. */
async function hashesWith(options) {
  const engine = await createEngine({ simd, ...options });
  const model = await loadModel(folder, { engine });
  const hashes = await hashesOf(engine, model);
  await engine.dispose();
  return hashes;
}

describe('hashes', () => {
  test('of the engine and of translations: any number of threads, in a worker', async () => {
    const expected = await hashesWith({ threads: 1 });
    assert.match(expected.engine, /^[0-9a-f]{16}$/);
    for (const options of [{ threads: 2 }, { threads: 4 }, { threads: 3, worker: true }])
      assert.deepEqual(await hashesWith(options), expected, JSON.stringify(options));
  });

  test('a batch, with its padding, has those of its texts; another text has another', async () => {
    const { greedy, greedyBatch, beams, beamsBatch } = await hashesWith({ threads: 2 });
    assert.deepEqual(greedyBatch, greedy);
    assert.deepEqual(beamsBatch, beams);
    assert.equal(new Set(greedy).size, texts.length);
  });

  test('with the cache and without', async () => {
    const engine = await createEngine({ simd, threads: 2 });
    const model = await loadModel(folder, { engine });
    for (const text of texts) {
      const { inputIds, sequences } = await model.generate(text);
      const [{ ids, tokenScores }] = sequences;
      // Each token by itself, from a decoder that reads all tokens before it again.
      for (const [i, score] of tokenScores.entries()) {
        const given = { inputIds: [inputIds], decoderInputIds: [ids.slice(0, i + 1)] };
        const [alone] = await model.generate(given, { maxNewTokens: 1 });
        assert.deepEqual(alone.sequences[0].ids, ids.slice(0, i + 2), text);
        assert.equal(alone.sequences[0].tokenScores[0], score, text);
      }
    }
    await engine.dispose();
  });

  test('of the command line are the same', async () => {
    const { greedy } = await hashesWith({ threads: 1 });
    for (const threads of ['1', '3']) {
      const args = [cli, 'translate', texts[0], '--hash', '--simd', simd, '--threads', threads];
      const { stdout } = await execute(process.execPath, [...process.execArgv, ...args]);
      assert.equal(stdout.trim().split('\n')[1], greedy[0]);
    }
  });
});

repeatWithRelaxedSimd(import.meta.url);
