// Memory full to the last bytes: every call ends in a result or in out_of_memory, and the engine lives on.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** Fills the memory with layers of falling sizes, computes in what is left, frees it and computes again. */
const fill = `
  import { createEngine } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
  let state = Number(process.argv[1]);
  const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  const engine = await createEngine({ threads: 1 });
  const codes = new Set();
  const sentences = new Set();
  const layers = [];
  const attempt = async (work) => {
    try { await work(); return true; } catch (error) { 
      codes.add(error.code ?? error.stack);
      sentences.add(error.message.replace(/[\\d.e+]+ MB/g, '0 MB'));
      return false;
    }
  };
  const add = (size) => attempt(async () =>
    layers.push(await engine.linear({ inFeatures: size, outFeatures: 1 + Math.floor(random() * size) }, { seed: 1 })));
  for (let size = 1024; size >= 1 && layers.length < 6000; ) if (!(await add(size))) size = Math.floor(size / 2);
  for (let i = 0; i < 40; i++) {
    const rows = 1 + Math.floor(random() * 300);
    const x = { data: new Float32Array(rows * 8), shape: [rows, 8] };
    await attempt(() => engine.scaledDotProductAttention(x, x, x, { needWeights: true }));
    await add(3);
  }
  for (const layer of layers) await layer.dispose();
  const { data } = await engine.matmul([[2]], [[3]]);
  console.log(JSON.stringify({ codes: [...codes], sentences: [...sentences], data: [...data] }));
  await engine.dispose();
`;

for (const seed of [1, 2, 3]) {
  test(`a fill from seed ${seed}`, () => {
    const args = ['--wasm-max-mem-pages=800', '--input-type=module', '-e', fill, `${seed}`];
    const { codes, sentences, data } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    assert.deepEqual(codes, ['out_of_memory']);
    assert.deepEqual(sentences, [
      'there is no memory for another 0 MB beside the 0 MB in use; the engine stays usable',
    ]);
    assert.deepEqual(data, [6]);
  });
}
