// Arguments and files at and beyond the limits: refused at once, by a sentence that names them, and never a silent wrong
// result.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel, Tensor, TransformerError } from '../../dist/index.js';
import { startComputing } from '../lib/cpu_time.mjs';
import { writeSafetensors } from '../lib/safetensors.mjs';
import { tinyConfig, tinyModel, tinyTensors } from '../lib/tiny_model.mjs';

const bytesOf = (value) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

/** Rejects with this code and message, within a quarter of a second unless told otherwise. */
async function refuses(work, code, message, milliseconds = 250) {
  const computed = startComputing();
  await assert.rejects(
    async () => work(),
    (error) => {
      assert.ok(error instanceof TransformerError, String(error?.stack ?? error));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      return true;
    },
  );
  assert.ok(computed() < milliseconds, `took ${computed()} ms`);
}

describe('limits', () => {
  let engine;
  let model;
  before(async () => {
    engine = await createEngine({ threads: 2 });
    model = await loadModel(tinyModel(), { engine });
  });
  after(() => engine.dispose());

  const configured = (changes) =>
    new Map(tinyModel()).set('config.json', bytesOf({ ...tinyConfig, ...changes }));
  const one = Tensor.from([[1, 2, 3, 4]]);

  test('what costs too much is refused before it is begun, and what costs little is quick', async () => {
    const computed = startComputing();
    assert.equal((await engine.alibiBias(2 ** 30, 0, 0)).data.length, 0);
    await engine.rotaryEmbedding(one, { offset: 1e6 });
    await (await loadModel(configured({ max_length: 4e6 }), { engine })).dispose();
    const many = { data: Float32Array.of(1), shape: new Array(8000).fill(1) };
    assert.equal((await engine.softmax(many)).data[0], 1);
    assert.ok(computed() < 1000, `took ${computed()} ms`);
    const huge = { dModel: 512, numHeads: 8, dFf: 2048, numEncoderLayers: 1e6, numDecoderLayers: 0 };
    await refuses(() => engine.transformer(huge, { seed: 1 }), 'out_of_memory', /million parameters/);
    await refuses(
      () => loadModel(configured({ max_length: 2 ** 31 }), { engine }),
      'bad_checkpoint',
      /config\.json.*max_length/,
    );
  });

  test('a file whose weights cannot fit is refused from its header', async () => {
    const header = JSON.stringify({
      'embedding.weight': { dtype: 'F32', shape: [2 ** 20, 4096], data_offsets: [0, 2 ** 34] },
    });
    const length = new Uint8Array(8);
    new DataView(length.buffer).setBigUint64(0, BigInt(header.length), true);
    const start = new Blob([length, header]);
    // A file that claims to be large: only its beginning is ever read.
    const file = new Proxy(start, {
      get: (target, name) => {
        if (name === 'size') return start.size + 2 ** 34;
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const files = new Map(tinyModel()).set('model.safetensors', file);
    files.set('config.json', bytesOf({ ...tinyConfig, d_model: 4096, vocab_size: 2 ** 20, num_heads: 2 }));
    await refuses(() => loadModel(files, { engine }), 'out_of_memory', /16\.0 GB.*4\.0 GB/);
  });

  test('a header of too many names is refused while they are counted', async () => {
    const entry = (i) => `"t${i}":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`;
    const text = `{${Array.from({ length: 150_000 }, (_, i) => entry(i)).join(',')}}`;
    const header = bytesOf(text);
    const file = new Uint8Array(8 + header.length);
    new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
    file.set(header, 8);
    const files = new Map(tinyModel()).set('model.safetensors', file);
    // Reading it takes several times as long as counting, however busy the machine is.
    const computed = startComputing();
    JSON.parse(text);
    const reading = computed();
    await refuses(() => loadModel(files, { engine }), 'bad_checkpoint', /more than 100000 tensors/, reading);
  });

  test('integers, ids and axes outside of their range', async () => {
    const output = async (options) =>
      (
        await engine.scaledDotProductAttention(
          [[1, 0]],
          [
            [1, 0],
            [0, 1],
          ],
          [[1], [2]],
          options,
        )
      ).output.data[0];
    assert.equal(await output({ window: 2 ** 31 - 1 }), await output());
    await refuses(() => output({ window: 2 ** 31 }), 'invalid_argument', /window/);
    await refuses(() => engine.softmax({ data: [], shape: [2 ** 32, 0] }), 'invalid_argument', /2\^31 - 1/);
    for (const id of [2 ** 31, 2 ** 32, 2 ** 32 + 3, -1, 1.5]) {
      await refuses(() => model.generate([id]), 'invalid_argument', /token id|list of/);
      await refuses(() => model.generate('the cat', { eosTokenId: id }), 'invalid_argument', /eosTokenId/);
      await refuses(
        () => model.forward({ inputIds: [[id]], decoderInputIds: [[2]] }),
        'invalid_argument',
        /inputIds/,
      );
      await refuses(
        () => loadModel(configured({ eos_token_id: id === -1 ? [-1] : id }), { engine }),
        'bad_checkpoint',
        /eos_token_id/,
      );
    }
    await refuses(() => model.generate('the cat', { numBeams: 2 ** 31 - 1 }), 'invalid_argument', /numBeams/);
    await refuses(
      () => model.generate('the cat', { numReturnSequences: 2 ** 31 - 1, doSample: true }),
      'invalid_argument',
      /numReturnSequences/,
    );
  });

  test('a scalar is a mask, a bias or a centre, and not absent', async () => {
    const scalar = (number) => new Tensor([number], []);
    const keys = [
      [1, 0],
      [0, 1],
    ];
    const masked = await engine.scaledDotProductAttention([[1, 0]], keys, keys, { mask: scalar(0) });
    assert.deepEqual([...masked.output.data], [0, 0]);
    const local = await engine.luongAttention([[1, 0]], keys, {
      score: 'dot',
      local: { D: 0.5, centers: scalar(1) },
    });
    assert.deepEqual([...local.weights.data], [0, 1]);
    await refuses(() => engine.layerNorm(one, { weight: scalar(2) }), 'invalid_argument', /weight/);
  });

  test('a mask that may be per sequence or per query is refused', async () => {
    const states = Tensor.from([
      [
        [1, 0],
        [0, 1],
      ],
      [
        [1, 1],
        [2, 1],
      ],
    ]);
    const attend = (mask) => engine.luongAttention(states, states, { score: 'dot', mask });
    await refuses(
      () =>
        attend([
          [1, 0],
          [1, 1],
        ]),
      'invalid_argument',
      /\[batch, 1, keys\]/,
    );
    const perSequence = await attend([[[1, 0]], [[1, 1]]]);
    const perQuery = await attend([
      [
        [1, 0],
        [1, 1],
      ],
    ]);
    assert.notDeepEqual(perSequence.weights.data, perQuery.weights.data);
  });

  test('a hidden key is not read', async () => {
    const poisoned = [
      [
        [1, 0],
        [Number.NaN, Number.POSITIVE_INFINITY],
        [0, 1],
      ],
    ];
    const clean = [
      [
        [1, 0],
        [0, 0],
        [0, 1],
      ],
    ];
    const mask = [[1, 0, 1]];
    const run = (keys) => engine.scaledDotProductAttention([[[1, 2]]], keys, keys, { mask });
    assert.deepEqual((await run(poisoned)).output.data, (await run(clean)).output.data);
  });

  test('a temperature near zero takes the most probable token', async () => {
    const greedy = await model.generate('the cat sat');
    const cold = await model.generate('the cat sat', { doSample: true, temperature: 1e-40, seed: 4 });
    assert.deepEqual(cold.sequences[0].ids, greedy.sequences[0].ids);
  });

  test('more tasks than fit into the state of a loop', async () => {
    const heads = 1_100_000;
    const ones = { data: new Float32Array(heads).fill(1), shape: [heads, 1, 1] };
    const { output } = await engine.scaledDotProductAttention(ones, ones, ones);
    assert.ok(output.data.every((number) => number === 1));
  });

  test('anything but what is expected is named', async () => {
    await refuses(() => model.generate(null), 'invalid_argument', /got null/);
    await refuses(() => model.generate(undefined), 'invalid_argument', /got undefined/);
    await refuses(() => model.tokenizer.decode(null), 'invalid_argument', /got null/);
    await refuses(() => createEngine({ wasmUrl: 'blob:x' }), 'invalid_argument', /wasmUrl/);
    const cyclic = [];
    cyclic.push(cyclic);
    await refuses(() => engine.softmax(cyclic), 'invalid_argument', /contains itself/);
    await refuses(() => engine.linear({ weight: [[1, 2]], bias: [1, 2] }), 'invalid_argument', /bias/);
  });

  test('back references, repetitions of what may be empty, and unknown patterns', async () => {
    const json = JSON.parse(new TextDecoder().decode(tinyModel().get('tokenizer.json')));
    const withPattern = (pattern) =>
      new Map(tinyModel()).set(
        'tokenizer.json',
        bytesOf({ ...json, pre_tokenizer: { type: 'Split', pattern, behavior: 'Isolated', invert: false } }),
      );
    await refuses(
      () => loadModel(withPattern({ Regex: '(a)\\1' }), { engine }),
      'unsupported',
      /exponential/,
      2000,
    );
    await refuses(
      () => loadModel(withPattern({ Regex: '((a*)b?)*' }), { engine }),
      'unsupported',
      /empty/,
      2000,
    );
    for (const pattern of [{ Glob: '*' }, 'a', { String: 'a', Regex: 'b' }, { Regex: 3 }])
      await refuses(() => loadModel(withPattern(pattern), { engine }), 'unsupported', /pattern/, 2000);
    const gpt4 =
      "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    await (await loadModel(withPattern({ Regex: gpt4 }), { engine })).dispose();
  });
});

describe('files that are none, and terminals', () => {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'));
  after(() => rmSync(folder, { recursive: true }));
  const cli = new URL('../../dist/cli.js', import.meta.url).pathname;
  const inspect = () =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [cli, 'inspect', folder]);
      let output = '';
      child.stdout.on('data', (data) => (output += data));
      child.stderr.on('data', (data) => (output += data));
      child.on('close', (code) => resolve({ code, output }));
    });

  test('a pipe in place of a file does not hang', { skip: process.platform === 'win32' }, async () => {
    execFileSync('mkfifo', [join(folder, 'config.json')]);
    await refuses(() => loadModel(folder), 'missing_file', /not a file/, 5000);
    rmSync(join(folder, 'config.json'));
  });

  test('inspect shows escapes as text, and fails for what cannot be loaded', async () => {
    for (const [name, bytes] of tinyModel()) writeFileSync(join(folder, name), bytes);
    assert.equal((await inspect()).code, 0);
    const tensors = new Map(tinyTensors(tinyConfig));
    const [first] = tensors.values();
    tensors.set('\u001b[2J\u001b[1mevil\nThe model can be loaded.\u202e', first);
    writeFileSync(join(folder, 'model.safetensors'), writeSafetensors(tensors));
    writeFileSync(join(folder, 'config.json'), bytesOf({ ...tinyConfig, activation: '\u001b[31mred' }));
    const { code, output } = await inspect();
    assert.equal(code, 1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.doesNotMatch(output, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|^The model can/m);
    assert.match(output, /\\u\{1b\}\[2J/);
  });
});
