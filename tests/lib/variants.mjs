// The variants of the engine that this Node can run; those behind a flag by running a test file once more with it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { relaxedSimd } from 'wasm-feature-detect';

const flag = '--experimental-wasm-relaxed-simd';
const isRepeated = process.execArgv.includes(flag);

/** Relaxed SIMD came to Node after version 20. */
export const hasRelaxedSimd = await relaxedSimd();

/** The options of the engines that this process tests. */
export const variants = ['simd128', 'relaxed']
  .filter((simd) => (simd === 'relaxed' ? hasRelaxedSimd : !isRepeated))
  .flatMap((simd) => [1, 3].map((threads) => ({ threads, simd })));

export function repeatWithRelaxedSimd(url) {
  if (hasRelaxedSimd) return;
  test('the same with relaxed SIMD', () => {
    // Without its context variable, the child reports for itself and not as a part of this run.
    const { NODE_TEST_CONTEXT, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [flag, fileURLToPath(url)], {
      env,
      encoding: 'utf8',
    });
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    assert.match(stdout, /\b(pass|ok) \d+/);
  });
}
