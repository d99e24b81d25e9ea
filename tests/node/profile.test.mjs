// Profiles of a model, and the limits of the machine.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { readFamilyCase } from '../lib/families.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

describe('profile', () => {
  let engine;
  let shipped;
  before(async () => {
    engine = await createEngine({ threads: 2 });
    const folder = new URL('../../dist/models/en-fr/', import.meta.url);
    shipped = await loadModel(folder, { engine, dtype: 'f32' });
  });
  after(() => engine.dispose());

  test('counts the operations and bytes of every part', async () => {
    const [tokens, batch] = [24, 2];
    const rows = tokens * batch;
    const { d_model: d, d_ff: dFf, vocab_size: vocabulary } = shipped.config;
    const [encoder, decoder, step] = await shipped.profile({ tokens, batch, rounds: 1 });
    assert.deepEqual(
      [encoder, decoder, step].map((pass) => [pass.name, pass.tokens]),
      [
        ['encoder', rows],
        ['decoder', rows],
        ['step', batch],
      ],
    );
    const part = (pass, path) => pass.parts.find((candidate) => candidate.path === path);
    const [q, fc1] = ['encoder.layers.1.self_attn.q_proj', 'encoder.layers.0.feed_forward.fc1'];
    assert.equal(part(encoder, q).flops, 2 * rows * d * d);
    assert.equal(part(encoder, q).weightBytes, 4 * d * d);
    assert.equal(part(encoder, fc1).flops, 2 * rows * d * dFf);
    assert.equal(part(encoder, fc1).stateBytes, 4 * rows * (d + dFf));
    const attention = part(encoder, 'encoder.layers.0.self_attn.scaled_dot_product');
    assert.equal(attention.flops, 4 * batch * tokens * tokens * d);
    assert.equal(part(decoder, 'decoder.layers.0.cross_attn.v_proj').flops, 2 * rows * d * d);
    assert.equal(part(decoder, 'projection').flops, 2 * rows * d * vocabulary);
    // Decoding reads the same weights for one token per sequence, and the memory's keys are already cached.
    assert.equal(part(step, 'projection').flops, 2 * batch * d * vocabulary);
    assert.equal(part(step, 'projection').weightBytes, part(decoder, 'projection').weightBytes);
    assert.equal(part(step, 'decoder.layers.0.cross_attn.v_proj'), undefined);
    for (const { path } of encoder.parts) assert.match(path, /^encoder/);
  });

  test('the parts add up to the pass', async () => {
    const passes = await shipped.profile({ rounds: 3 });
    for (const { milliseconds, parts } of passes) {
      assert.ok(Math.abs(sum(parts.map((part) => part.milliseconds)) - milliseconds) < 1e-9 * milliseconds);
    }
    const ids = (vocabulary) => [Array.from({ length: 64 }, (_, i) => i % vocabulary)];
    const inputs = {
      inputIds: ids(shipped.config.vocab_size),
      decoderInputIds: ids(shipped.config.vocab_size),
    };
    // Both as means of rounds of 50 ms, of which the fastest counts: others use the machine, too, and the first passes wait for
    // the compiler of JavaScript, in one round or in twenty.
    const meanOfRound = async () => {
      const begin = performance.now();
      let count = 0;
      for (; performance.now() - begin < 50; count++) await shipped.forward(inputs);
      return (performance.now() - begin) / count;
    };
    const [whole, parts] = [[], []];
    let share = 0;
    for (let round = 0; round < 6 || (round < 60 && share <= 0.4); round++) {
      whole.push(await meanOfRound());
      const [encoder, decoder] = await shipped.profile({ rounds: 1 });
      parts.push(encoder.milliseconds + decoder.milliseconds);
      share = Math.min(...parts) / Math.min(...whole);
    }
    assert.ok(share > 0.4 && share < 2, `${share} of the pass`);
  });

  for (const [name, passes] of Object.entries({
    bert: ['encoder'],
    vit: ['encoder'],
    gpt2: ['decoder', 'step'],
    bart: ['encoder', 'decoder', 'step'],
    whisper: ['encoder', 'decoder', 'step'],
    torch_transformer_post_relu: ['encoder', 'decoder'],
  })) {
    test(`of ${name}`, async () => {
      const files =
        name === 'torch' ? readFamilyCase('torch_transformer').files() : readFamilyCase(name).files();
      const model = await loadModel(files, { engine });
      const measured = await model.profile({ rounds: 1, tokens: 5 });
      assert.deepEqual(
        measured.map((pass) => pass.name),
        passes,
      );
      for (const pass of measured) {
        assert.ok(pass.milliseconds > 0);
        assert.ok(sum(pass.parts.map(({ flops }) => flops)) > 0);
      }
      const [whole] = await model.profile({ rounds: 1 });
      const hasFront = whole.parts.some(({ path, flops }) => path.startsWith('front.') && flops > 0);
      assert.equal(
        hasFront,
        ['vit', 'whisper'].includes(name),
        'sound and pictures go through their front end',
      );
      await model.dispose();
    });
  }

  test('invalid options', async () => {
    const model = await loadModel(tinyModel(), { engine });
    await assert.rejects(model.profile({ tokens: 0 }), { code: 'invalid_argument', message: /tokens/ });
    await assert.rejects(model.profile({ tokens: 1e6 }), {
      code: 'invalid_argument',
      message: /the model's maximum is 24/,
    });
    await assert.rejects(model.profile({ token: 8 }), {
      code: 'invalid_argument',
      message: /did you mean 'tokens'/,
    });
    await assert.rejects(model.profile({ signal: AbortSignal.abort(new Error('enough')) }), /enough/);
    await model.dispose();
    await assert.rejects(model.profile(), { code: 'disposed', message: /disposed/ });
  });
});

test("the machine's limits", async () => {
  const engine = await createEngine({ threads: 1 });
  const near = await engine.machineLimits({ bytes: 2 ** 17 });
  assert.ok(near.flopsPerSecond > 1e6 && near.flopsPerSecond < 1e12);
  assert.ok(near.integerOpsPerSecond > 1e6 && near.integerOpsPerSecond < 4e12);
  assert.ok(near.bytesPerSecond > 1e6 && near.bytesPerSecond < 1e12);
  await assert.rejects(engine.machineLimits({ bytes: 0 }), { code: 'invalid_argument', message: /bytes/ });
  await engine.dispose();
  await assert.rejects(engine.machineLimits(), { code: 'disposed', message: /disposed/ });
});
