// Sound and pictures are computed in the engine alone: what crosses into it is what the caller gave, in as few calls as can be,
// and the results have the same bits for any number of threads and any batch.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { caseNames, readFamilyCase } from '../lib/families.mjs';
import { assertSameBits } from '../lib/reference.mjs';
import { allBits, storedBits } from '../lib/reference_bits.mjs';

const mediaNames = ['pixelValues', 'inputFeatures', 'inputValues'];
const inputOf = ({ inputs }) => mediaNames.find((name) => inputs[name]);

/** The tensors of an output by name, those of lists too. */
function tensorsOf(output) {
  const found = Object.entries(output).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.map((one, i) => [`${name}.${i}`, one]);
    return ArrayBuffer.isView(value?.data) ? [[name, value]] : [];
  });
  assert.ok(found.length > 0);
  return found;
}

/** Records what crosses the border while `work` runs. */
async function crossings({ loaded: { host } }, work) {
  const calls = [];
  const { answer, run } = host;
  host.answer = (call) => {
    calls.push(call);
    return answer.call(host, call);
  };
  host.run = (given, signal) => {
    calls.push({ kind: 'run', ...given });
    return run.call(host, given, signal);
  };
  try {
    await work();
  } finally {
    host.answer = answer;
    host.run = run;
  }
  return calls;
}

describe('front ends', () => {
  let engines;
  before(async () => {
    engines = await Promise.all([1, 3].map((threads) => createEngine({ threads, simd: 'simd128' })));
  });
  after(() => Promise.all(engines.map((engine) => engine.dispose())));

  for (const name of caseNames) {
    const given = readFamilyCase(name);
    const input = inputOf(given);
    if (!input) continue;

    test(`${name}: the same bits with one thread and three, alone and in a batch`, async () => {
      const [alone, threaded] = await Promise.all(
        engines.map((engine) => loadModel(given.files(), { engine })),
      );
      const whole = await threaded.forward(given.inputs);
      const [batch] = given.inputs[input].shape;
      const rowOf = ({ data, shape }, row) => {
        const size = data.length / shape[0];
        return { data: data.slice(row * size, (row + 1) * size), shape: [1, ...shape.slice(1)] };
      };
      // Texts beside pictures stay as they are, but for the decoder's.
      const perRow = [...mediaNames, 'spatialShapes', 'pixelAttentionMask', 'decoderInputIds'];
      if (input === 'inputValues') perRow.push('attentionMask');
      for (let row = 0; row < batch; row++) {
        const inputs = Object.entries(given.inputs).map(([key, value]) => [
          key,
          perRow.includes(key) ? rowOf(value, row) : value,
        ]);
        const one = await alone.forward(Object.fromEntries(inputs));
        for (const [key, tensor] of tensorsOf(one)) {
          if (/^(logitsPerText|textEmbeds)/.test(key)) continue;
          assertSameBits(tensor, rowOf(whole[key], row), `${name} ${key} of row ${row}`);
        }
      }
      await Promise.all([alone.dispose(), threaded.dispose()]);
    });
  }

  for (const name of ['clip', 'siglip', 'siglip2_naflex'])
    test(`${name}: texts and pictures cross the border twice`, async () => {
      const given = readFamilyCase(name);
      const model = await loadModel(given.files(), { engine: engines[0] });
      const calls = await crossings(model, () => model.forward(given.inputs));
      assert.deepEqual(
        calls.map(({ kind, method }) => [kind, method]),
        [
          ['invoke', 'forward'],
          ['invoke', 'forward'],
        ],
      );
      await model.dispose();
    });

  test("30 seconds of sound reach Moonshine's engine as the caller's own samples, in one call", async () => {
    const model = await loadModel(readFamilyCase('moonshine').files(), { engine: engines[0] });
    const samples = Float32Array.from({ length: 30 * 16000 }, (_, i) => Math.sin(i / 20) / 4);
    const inputValues = { data: samples, shape: [1, samples.length] };
    const calls = await crossings(model, () => model.generate({ inputValues }, { maxNewTokens: 2 }));
    assert.deepEqual(
      calls.map(({ kind }) => kind),
      ['run'],
    );
    const { values } = calls[0].args[1].media;
    assert.ok(values.data.buffer === samples.buffer);
    assert.equal(values.data.length, samples.length);
    await model.dispose();
  });

  test('their parts can be traced', async () => {
    const load = (name) => loadModel(readFamilyCase(name).files(), { engine: engines[0] });
    const sound = await load('moonshine');
    const { inputs } = readFamilyCase('moonshine');
    const { trace } = await sound.forward(inputs, { trace: ['front.*', 'encoder.embeddings'] });
    assert.deepEqual(Object.keys(trace), ['front.conv1', 'front.conv2', 'front.conv3', 'encoder.embeddings']);
    assertSameBits(trace['front.conv3'], trace['encoder.embeddings'], 'the input of the encoder');
    await sound.dispose();
    const pictures = await load('siglip');
    const { pixelValues } = readFamilyCase('siglip').inputs;
    const traced = await pictures.forward(
      { pixelValues },
      { trace: ['front.patches', 'pool.attention.weights'] },
    );
    const { data, shape } = traced.trace['pool.attention.weights'];
    assert.equal(shape[2], 1);
    const sum = data.subarray(0, shape[3]).reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(sum - 1) < 1e-5);
    await pictures.dispose();
  });
});

// Not with other cases in place of the fixtures.
const areOthers = process.env.REFERENCE_CASES !== undefined;

test('every reference model has the bits that it had', { skip: areOthers }, async () => {
  const stored = storedBits();
  const bits = await allBits({ threads: 1 });
  assert.deepEqual(Object.keys(bits).sort(), Object.keys(stored).sort());
  for (const [name, outputs] of Object.entries(bits)) assert.deepEqual(outputs, stored[name], name);
});
