// The check and inspect commands on models of all families.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModel } from '../../dist/index.js';
import { json, readFamilyCase } from '../lib/families.mjs';
import { readSafetensors, writeSafetensors } from '../lib/safetensors.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const caseFolder = (name) => fileURLToPath(new URL(`../fixtures/reference/${name}`, import.meta.url));
const expectedOf = (name) => join(caseFolder(name), 'expected.safetensors');

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'check', ...args], {
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

describe('check', () => {
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  });
  after(() => rm(folder, { recursive: true }));

  /** The case's folder with some of its weights changed. */
  const changed = async (name, change) => {
    const given = readFamilyCase(name);
    const weights = readSafetensors(given.file('model.safetensors'));
    change(weights);
    const files = given.files({ 'model.safetensors': writeSafetensors(weights) });
    for (const [file, bytes] of files) await writeFile(join(folder, file), bytes);
    return folder;
  };

  for (const name of ['bert', 'whisper', 'gpt2', 'clip', 'siglip2_naflex', 'dinov3_vit', 'moonshine']) {
    test(`${name} agrees`, () => {
      const { code, stdout, stderr } = run(caseFolder(name), expectedOf(name));
      assert.equal(code, 0, stderr);
      assert.match(stdout, /All \d+ agree/);
      assert.doesNotMatch(stdout, /departs|missing/);
    });
  }

  test('the first layer that differs is named, with the difference of each tensor', async () => {
    const model = await changed('bart', (weights) => {
      weights.get('model.decoder.layers.1.fc1.bias').data[3] += 0.5;
    });
    const { code, stdout } = run(model, expectedOf('bart'), '--json');
    assert.equal(code, 1);
    const receipt = JSON.parse(stdout);
    assert.equal(receipt.firstDeparture, 'decoder_hidden_states.2');
    assert.equal(receipt.firstLayer, 'decoder.layers.1');
    const departing = receipt.lines.filter(({ departs }) => departs).map(({ name }) => name);
    assert.deepEqual(departing, ['decoder_hidden_states.2', 'logits']);
    for (const { difference, tolerance, departs } of receipt.lines)
      assert.equal(departs, difference > tolerance);
    const text = run(model, expectedOf('bart'));
    assert.equal(text.code, 1);
    assert.match(
      text.stdout,
      /The first difference beyond the tolerance is in decoder_hidden_states\.2: check decoder\.layers\.1\./,
    );
  });

  test('an error in attention is located', async () => {
    const model = await changed('bart', (weights) => {
      weights.get('model.decoder.layers.0.encoder_attn.q_proj.weight').data[5] += 1;
    });
    const { firstDeparture, firstLayer } = JSON.parse(run(model, expectedOf('bart'), '--json').stdout);
    assert.equal(firstDeparture, 'cross_attentions.0');
    assert.equal(firstLayer, 'decoder.layers.0.cross_attn');
  });

  test('the begins and ends of answers are compared', async () => {
    const model = await changed('bert_qa', (weights) => {
      weights.get('qa_outputs.bias').data[1] += 0.5;
    });
    const { code, stdout } = run(model, expectedOf('bert_qa'), '--json');
    const { lines, firstDeparture, notCompared } = JSON.parse(stdout);
    const departing = lines.filter(({ departs }) => departs).map(({ name }) => name);
    assert.deepEqual([code, firstDeparture, departing], [1, 'end_logits', ['end_logits']]);
    assert.ok(lines.some(({ name }) => name === 'start_logits'));
    assert.ok(!notCompared.some((name) => /(start|end)_logits/.test(name)));
  });

  test('tolerances can be set', async () => {
    const tight = run(caseFolder('bert'), expectedOf('bert'), '--tolerance', '1e-9');
    assert.equal(tight.code, 1);
    const wide = ['--tolerance', '100', '--attention-tolerance', '1'];
    const model = await changed('bert', (weights) => {
      weights.get('embeddings.word_embeddings.weight').data[40] += 0.1;
    });
    assert.equal(run(model, expectedOf('bert'), ...wide).code, 0);
  });

  test('inner tensors are named by their paths', async () => {
    const { files, get } = readFamilyCase('gpt2');
    const inputs = { inputIds: get('input_ids') };
    const model = await loadModel(files());
    const path = 'decoder.layers.1.self_attn.queries';
    const { trace } = await model.forward(inputs, { trace: [path] });
    await model.dispose();
    const file = join(folder, 'inner.safetensors');
    const ids = get('input_ids');
    const store = async (queries) =>
      writeFile(
        file,
        writeSafetensors(
          new Map([
            ['input_ids', { dtype: 'I32', shape: ids.shape, data: ids.data }],
            [path, { shape: queries.shape, data: queries.data }],
          ]),
        ),
      );
    await store(trace[path]);
    assert.equal(run(caseFolder('gpt2'), file).code, 0);
    trace[path].data[7] += 1;
    await store(trace[path]);
    const { code, stdout } = run(caseFolder('gpt2'), file, '--json');
    assert.equal(code, 1);
    const { firstDeparture, firstLayer } = JSON.parse(stdout);
    assert.deepEqual([firstDeparture, firstLayer], [path, 'decoder.layers.1']);
  });

  for (const [what, args, code, message] of [
    ['no file', [caseFolder('bert')], 2, /check takes two arguments: the folder/],
    ['a missing file', [caseFolder('bert'), '/no/such.safetensors'], 1, /there is no such file or folder/],
    [
      'an invalid file',
      [caseFolder('bert'), join(caseFolder('bert'), 'config.json')],
      1,
      /not a safetensors file/,
    ],
    [
      'an invalid tolerance',
      [caseFolder('bert'), expectedOf('bert'), '--tolerance', 'much'],
      2,
      /--tolerance/,
    ],
    ['results of another model', [caseFolder('bert'), expectedOf('vit')], 1, /does not take pixelValues/],
  ]) {
    test(`${what}: one line and an exit code`, () => {
      const result = run(...args);
      assert.equal(result.code, code);
      assert.match(result.stderr, message);
      assert.equal(result.stderr.trim().split('\n').length, 1);
      assert.equal(result.stdout, '');
    });
  }
});

describe('inspect', () => {
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  });
  after(() => rm(folder, { recursive: true }));

  const inspect = async (name, changes) => {
    const given = readFamilyCase(name);
    for (const [file, bytes] of given.files(changes(given))) await writeFile(join(folder, file), bytes);
    const { stdout } = spawnSync(process.execPath, [cli, 'inspect', folder, '--json'], { encoding: 'utf8' });
    return JSON.parse(stdout);
  };

  test('a family, and what each tensor becomes', async () => {
    const { family, refusals, tensors, parameters } = await inspect('gpt2', () => ({}));
    assert.deepEqual([family, refusals], ['gpt2', []]);
    const fused = tensors.find(({ name }) => name === 'transformer.h.1.attn.c_attn.weight');
    assert.deepEqual(
      fused.becomes,
      ['q_proj', 'k_proj', 'v_proj'].map((one) => `decoder.layers.1.self_attn.${one}.weight`),
    );
    const all = tensors.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
    assert.equal(parameters, all);
  });

  test('what prevents loading', async () => {
    const rope = await inspect('llama', ({ config }) => ({
      'config.json': json({ ...config, rope_scaling: { type: 'proportional', factor: 2 } }),
    }));
    assert.match(rope.refusals.join(), /rope_scaling/);
    const contrastive = await inspect('bart', () => ({
      'generation_config.json': json({ penalty_alpha: 0.6, guidance_scale: 2, num_beam_groups: 2 }),
    }));
    assert.deepEqual(contrastive.refusals, []);
    assert.deepEqual(contrastive.unsupportedSettings, ['penalty_alpha', 'guidance_scale']);
  });
});
