// Log-probabilities of given texts: those that greedy decoding reports, and that a forward pass gives.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { byteModel } from '../lib/byte_model.mjs';
import { folderOf } from '../lib/translation_model.mjs';

const others = { 'generation_config.json': { eos_token_id: 5, max_new_tokens: 20 } };
let engine;
let model;
let translator;
before(async () => {
  engine = await createEngine({ threads: 2 });
  model = await loadModel(byteModel({ others }), { engine });
  translator = await loadModel(byteModel({ others, encoder: 2 }), { engine, prefixCacheBytes: 0 });
});
after(async () => {
  await engine.dispose();
});

const prompt = Array.from({ length: 90 }, (_, i) => 10 + ((i * 7) % 150));

describe('score', () => {
  test('has the bits of greedy decoding, alone, in a batch and after a prompt that is known', async () => {
    const texts = [];
    const expected = [];
    for (const length of [1, 5, 20, 64]) {
      const [{ ids, tokenScores, score }] = (await model.generate(prompt, { maxNewTokens: length }))
        .sequences;
      texts.push(ids.slice(prompt.length));
      expected.push({ tokenScores, score });
    }
    const bitsOf = (results) => results.map(({ tokenScores, score }) => ({ tokenScores, score }));
    for (let round = 0; round < 2; round++)
      assert.deepEqual(bitsOf(await model.score(prompt, texts)), expected);
    assert.deepEqual(bitsOf(await model.score(prompt, texts, { batchTokens: 1 })), expected);
    for (const prefixCacheBytes of [0, 1 << 25]) {
      const fresh = await loadModel(byteModel({ others }), { engine, prefixCacheBytes });
      assert.deepEqual(bitsOf(await fresh.score(prompt, texts)), expected);
      await fresh.dispose();
    }
  });

  test("has the bits of a translator's decoder, one source for all texts", async () => {
    const source = 'one two three';
    const { ids, tokenScores } = (await translator.generate(source)).sequences[0];
    const text = ids.slice(1);
    const [first, second, cut] = await translator.score(source, [text, text, text.slice(0, 2)]);
    assert.deepEqual(first.tokenScores, tokenScores);
    assert.deepEqual(second, first);
    assert.deepEqual(cut.tokenScores, tokenScores.slice(0, 2));
  });

  test('is the log-softmax of a forward pass', async () => {
    const text = [20, 40, 60];
    const [{ tokenScores, score, ids, tokens }] = await model.score(prompt, [text]);
    assert.deepEqual(ids, text);
    assert.equal(tokens.length, 3);
    const { logits } = await model.forward({ inputIds: [[...prompt, ...text]] });
    const [, , vocab] = logits.shape;
    for (const [i, id] of text.entries()) {
      const row = logits.data.subarray((prompt.length - 1 + i) * vocab, (prompt.length + i) * vocab);
      const most = Math.max(...row);
      const sum = row.reduce((total, x) => total + Math.exp(x - most), 0);
      assert.ok(Math.abs(row[id] - most - Math.log(sum) - tokenScores[i]) < 1e-5);
    }
    assert.ok(Math.abs(score - tokenScores.reduce((a, b) => a + b)) < 1e-5);
  });

  test('probabilities of all that may follow add up to one', async () => {
    const vocab = model.config.vocab_size;
    const every = await model.score(
      'the',
      Array.from({ length: vocab }, (_, id) => [id]),
    );
    const total = every.reduce((sum, { score }) => sum + Math.exp(score), 0);
    assert.ok(Math.abs(total - 1) < 1e-4, `${total}`);
    const [yes, no] = await model.score('Is it?', [' yes', ' no']);
    assert.deepEqual(
      [yes.ids, no.ids].map((ids) => model.tokenizer.decode(ids)),
      [' yes', ' no'],
    );
  });

  test('bad input is refused, and the model goes on', async () => {
    const refused = (...args) => assert.rejects(model.score(...args), { code: 'invalid_argument' });
    await refused('a', []);
    await refused('a', 'b');
    await refused('a', ['']);
    await refused('a', [[]]);
    await refused('a', [[100_000]]);
    await refused('a', [3]);
    await refused('', ['b']);
    await refused('a', ['b'], { batchTokens: 0 });
    await refused('a', ['b'], { temperature: 2 });
    await refused(prompt, [new Array(4000).fill(20)]);
    const signal = AbortSignal.abort(new Error('enough'));
    await assert.rejects(model.score('a', ['b'], { signal }), /enough/);
    const recurrent = await loadModel(folderOf('en-fr-luong-dot'), { engine });
    await assert.rejects(recurrent.score('I am .', [[5]]), { code: 'unsupported' });
    await recurrent.dispose();
    assert.equal((await model.score('a', ['b'])).length, 1);
  });
});
