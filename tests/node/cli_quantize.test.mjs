// transformer-wasm quantize as a shell sees it: its output, its files, and that nothing remains after a failure.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withFolder, writeFiles } from '../lib/quantized.mjs';
import { pathOfCase } from '../lib/tiny_folder.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Runs a command to completion; `during` receives the process. */
function run(args, during) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args]);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].on('data', (data) => {
        output[name] += data;
      });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
    child.stdin.end();
    during?.(child);
  });
}

async function fails(args, code, message) {
  const result = await run(['quantize', ...args]);
  assert.equal(result.code, code, result.stderr);
  assert.match(result.stderr, message);
  assert.equal(result.stderr.trim().split('\n').length, 1, `more than a line: ${result.stderr}`);
  assert.equal(result.stdout, '');
}

/** A folder with a tiny model in `in`. */
const withTiny = (work, files = tinyModel()) =>
  withFolder(async (folder) => {
    await writeFiles(join(folder, 'in'), files);
    await work({ folder, source: join(folder, 'in'), out: join(folder, 'out') });
  });

describe('quantize', () => {
  test('reports what it did; inspect, check and translate accept the result', () =>
    withTiny(
      async ({ folder, source }) => {
        const out = join(folder, 'new', 'folder');
        const { code, stdout, stderr } = await run(['quantize', source, out]);
        assert.deepEqual([code, stderr], [0, '']);
        assert.match(stdout, /quantised +22 matrices/);
        assert.match(stdout, /bytes +[\d,]+ before, [\d,]+ after \(\d\d\.\d %\)/);
        assert.match(stdout, /kept +45 tensors/);
        assert.match(stdout, /encoder\.layers\.#\.norm1\.weight \(2\)/);
        const names = [
          'config.json',
          'generation_config.json',
          'model.safetensors',
          'tokenizer.json',
          'tokenizer_config.json',
        ];
        assert.deepEqual((await readdir(out)).sort(), names);
        for (const name of names.filter((one) => /generation|tokenizer/.test(one)))
          assert.deepEqual(await readFile(join(out, name)), await readFile(join(source, name)));
        const inspected = await run(['inspect', out, '--check']);
        assert.match(inspected.stdout, /embedding\.weight +I8 +\[30, 16\] {2}times a scale \[30, 1\]/);
        assert.match(inspected.stdout, /67 tensors used/);
        assert.match(inspected.stdout, /The model can be loaded\./);
        const translated = await run(['translate', 'the cat sat on the mat', '--model', out]);
        assert.deepEqual([translated.code, translated.stderr], [0, '']);
        assert.match(translated.stdout, /\S/);
      },
      tinyModel({ generation: { max_new_tokens: 8 } }),
    ));

  test('JSON', () =>
    withTiny(async ({ source, out }) => {
      const { stdout } = await run(['quantize', source, out, '--json']);
      const done = JSON.parse(stdout);
      assert.equal(done.family, 'transformer');
      assert.ok(done.bytesAfter < done.bytesBefore);
      assert.equal(done.bytesAfter, (await readFile(join(out, 'model.safetensors'))).length);
      assert.ok(done.relativeError > 0 && done.relativeError < 0.02, `${done.relativeError}`);
      assert.ok(done.quantized.includes(done.largestError.tensor));
      assert.deepEqual(done.leftOut, []);
      const inspection = JSON.parse((await run(['inspect', out, '--json'])).stdout);
      assert.deepEqual(inspection.weights.dtypes.sort(), ['F32', 'I8']);
      const before = JSON.parse((await run(['inspect', source, '--json'])).stdout);
      assert.equal(inspection.parameters, before.parameters);
    }));

  test('unused tensors are left out and listed', () => {
    const tensors = tinyTensors(tinyConfig);
    tensors.set('something.else', { shape: [2, 2], data: new Float32Array(4) });
    return withTiny(async ({ source, out }) => {
      const { stdout } = await run(['quantize', source, out]);
      assert.match(stdout, /left out +1 unused tensors\n +something\.else/);
    }, tinyModel({ tensors }));
  });

  test('a sentence-transformers folder stays one', () =>
    withFolder(async (folder) => {
      const source = pathOfCase('sentence_transformer');
      const out = join(folder, 'out');
      assert.equal((await run(['quantize', source, out])).code, 0);
      for (const name of ['modules.json', 'sentence_bert_config.json', '1_Pooling/config.json'])
        assert.deepEqual(await readFile(join(out, name)), await readFile(join(source, name)));
      const vectors = [];
      for (const place of [source, out]) {
        const { stdout } = await run(['embed', '--model', place, '--json', 'the cat sat on the mat']);
        vectors.push(JSON.parse(stdout).embedding);
      }
      const [exact, rounded] = vectors;
      const product = exact.reduce((sum, x, i) => sum + x * rounded[i], 0);
      // The folder's embeddings have the length 1; with another pooling, their cosine would be lower.
      assert.ok(product > 0.999 && product < 1, `${product}`);
    }));

  test('a module that claims to be outside of its folder is not copied', () =>
    withTiny(
      async ({ folder, source, out }) => {
        await writeFile(join(folder, 'config.json'), '{}');
        assert.equal((await run(['quantize', source, out])).code, 0);
        assert.deepEqual((await readdir(folder)).sort(), ['config.json', 'in', 'out']);
        assert.equal(await readFile(join(folder, 'config.json'), 'utf8'), '{}');
      },
      new Map([...tinyModel(), ['modules.json', new TextEncoder().encode('[{"path": ".."}]')]]),
    ));

  test('in 4 bits: inspect and translate accept the result, which is smaller than in 8', () =>
    withTiny(
      async ({ folder, source, out }) => {
        const done = await run(['quantize', source, out, '--dtype', 'int4', '--json']);
        assert.deepEqual([done.code, done.stderr], [0, '']);
        const { bytesAfter, relativeError } = JSON.parse(done.stdout);
        const in8Bits = await run(['quantize', source, join(folder, 'eight'), '--json']);
        assert.ok(bytesAfter < 0.75 * JSON.parse(in8Bits.stdout).bytesAfter, `${bytesAfter} bytes`);
        assert.ok(relativeError > 0.015 && relativeError < 0.12, `${relativeError}`);
        const inspection = JSON.parse((await run(['inspect', out, '--json'])).stdout);
        assert.deepEqual(inspection.refusals, []);
        assert.deepEqual(inspection.weights.dtypes.sort(), ['BF16', 'F32', 'I32', 'I64', 'I8']);
        assert.equal((await run(['translate', 'the cat', '--model', out])).code, 0);
        await fails([source, join(folder, 'two'), '--dtype', 'int2'], 2, /--dtype must be one of int8, int4/);
        const broken = tinyTensors(tinyConfig);
        broken.get('decoder.layers.1.linear2.weight').data[7] = Number.NaN;
        const files = await writeFiles(join(folder, 'broken'), tinyModel({ tensors: broken }));
        const four = join(folder, 'four');
        await fails([files, four, '--dtype', 'int4'], 1, /decoder\.layers\.1\.linear2\.weight' holds NaN/);
        assert.ok(!existsSync(four));
      },
      tinyModel({ config: { ...tinyConfig, d_model: 64, d_ff: 96 } }),
    ));

  test('overwrites files only with --force', () =>
    withTiny(async ({ source, out }) => {
      await mkdir(out);
      await writeFile(join(out, 'config.json'), 'mine');
      await fails([source, out], 1, /out is not empty; use --force/);
      assert.deepEqual(await readdir(out), ['config.json']);
      assert.equal(await readFile(join(out, 'config.json'), 'utf8'), 'mine');
      assert.equal((await run(['quantize', source, out, '--force'])).code, 0);
      assert.ok(JSON.parse(await readFile(join(out, 'config.json'), 'utf8')).quantization_config);
    }));

  test('leaves nothing behind after a failure', () =>
    withTiny(async ({ folder, source, out }) => {
      await fails([source], 2, /folder to write/);
      await fails([source, out, 'more'], 2, /folder to write/);
      await fails([source, out, '--beams', '2'], 2, /no option --beams/);
      await fails([join(folder, 'nowhere'), out], 1, /nowhere/);
      await fails([source, source, '--force'], 1, /is the source folder/);
      await fails([source, join(source, 'config.json', 'in')], 1, /config\.json/);
      assert.equal((await run(['quantize', source, out])).code, 0);
      await fails([out, join(folder, 'again')], 1, /already quantised/);
      const broken = tinyTensors(tinyConfig);
      broken.get('decoder.layers.1.linear2.weight').data[7] = Number.NaN;
      const files = await writeFiles(join(folder, 'broken'), tinyModel({ tensors: broken }));
      await fails([files, join(folder, 'a', 'b')], 1, /decoder\.layers\.1\.linear2\.weight' holds NaN/);
      assert.deepEqual((await readdir(folder)).sort(), ['broken', 'in', 'out']);
    }));

  test('leaves nothing behind after an interruption', () => {
    // Large enough to be interrupted midway: 150 MB.
    const tensors = tinyTensors(tinyConfig);
    tensors.set('embedding.weight', {
      shape: [2_400_000, 16],
      data: new Float32Array(2_400_000 * 16).fill(0.5),
    });
    tensors.set('projection.weight', { shape: [30, 16], data: new Float32Array(480) });
    return withTiny(
      async ({ folder, source, out }) => {
        for (const signal of ['SIGINT', 'SIGTERM']) {
          let seen = false;
          const result = await run(['quantize', source, out], (child) => {
            const watch = setInterval(async () => {
              if (!existsSync(out) || (await readdir(out)).length === 0) return;
              seen = true;
              clearInterval(watch);
              child.kill(signal);
            }, 5);
            child.on('close', () => clearInterval(watch));
          });
          assert.ok(seen);
          assert.deepEqual([result.signal, result.stdout], [signal, '']);
          assert.deepEqual(await readdir(folder), ['in']);
        }
      },
      tinyModel({ tensors, config: { src_vocab_size: 2_400_000, tgt_vocab_size: 2_400_000 } }),
    );
  });
});
