// The engine variants that this Node.js can run; for those behind a flag, runs a test file again with the flag.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { relaxedSimd } from 'wasm-feature-detect';

const flag = '--experimental-wasm-relaxed-simd';
const isRepeated = process.execArgv.includes(flag);

/** Relaxed SIMD is not in Node.js 20. */
export const hasRelaxedSimd = await relaxedSimd();

/** Options of the engines to test in this process. */
export const variants = ['simd128', 'relaxed']
  .filter((simd) => (simd === 'relaxed' ? hasRelaxedSimd : !isRepeated))
  .flatMap((simd) => [1, 3].map((threads) => ({ threads, simd })));

export function repeatWithRelaxedSimd(url) {
  if (hasRelaxedSimd) return;
  test('the same with relaxed SIMD', () => {
    // Without its context variable, the child reports independently instead of as a part of this run.
    const { NODE_TEST_CONTEXT, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [flag, fileURLToPath(url)], {
      env,
      encoding: 'utf8',
    });
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    assert.match(stdout, /\b(pass|ok) \d+/);
  });
}
