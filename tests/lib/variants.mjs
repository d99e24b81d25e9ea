// Runs a test file once more for the variants that Node has only behind a flag.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const isRelaxedRun = process.env.TEST_RELAXED_SIMD === '1';
const simd = isRelaxedRun ? 'relaxed' : 'simd128';

/** The options of the engines that this process can run. */
export const variants = [
  { threads: 1, simd },
  { threads: 3, simd },
];

export function repeatWithRelaxedSimd(url) {
  if (isRelaxedRun) return;
  test('the same with relaxed SIMD', () => {
    // Without its context variable, the child reports for itself and not as a part of this run.
    const { NODE_TEST_CONTEXT, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--experimental-wasm-relaxed-simd', fileURLToPath(url)],
      { env: { ...env, TEST_RELAXED_SIMD: '1' }, encoding: 'utf8' },
    );
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    assert.match(stdout, /\b(pass|ok) \d+/);
  });
}
