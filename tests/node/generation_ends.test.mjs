// Where a generation ends: stop texts of decoders alone, lengths, and how many results a stream has.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { folderWithWords } from '../lib/tiny_folder.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

describe('the end of a generation', () => {
  let engine;
  let model;
  before(async () => {
    engine = await createEngine({ threads: 1 });
    model = await loadModel(folderWithWords('opt'), { engine });
  });
  after(() => engine.dispose());

  test('a stop text that also occurs in the prompt cuts the continuation, not the prompt', async () => {
    const ids = model.tokenizer.encode('the cat sat', { addSpecialTokens: false }).ids;
    const free = (await model.generate(ids, { maxNewTokens: 12 })).sequences[0];
    const before = model.tokenizer.decode(ids);
    const letters = [...new Set(free.text.slice(before.length).replaceAll(' ', ''))];
    const shared = letters.filter((letter) => before.includes(letter));
    assert.ok(shared.length > 0);
    for (const stop of shared) {
      const cut = (await model.generate(ids, { maxNewTokens: 12, stop })).sequences[0];
      assert.ok(cut.ids.length > ids.length);
      assert.equal(cut.text, free.text.slice(0, free.text.indexOf(stop, before.length)));
      const sum = cut.tokenScores.reduce((total, score) => Math.fround(total + score), 0);
      assert.equal(cut.score, sum);
    }
  });

  test('several beams that a stop text cuts stay in the order of their scores', async () => {
    const llama = await loadModel(folderWithWords('llama'), { engine });
    let changed = 0;
    for (const stop of 'acdn') {
      const options = { maxNewTokens: 10, numBeams: 6, numReturnSequences: 6, stop };
      const { sequences } = await llama.generate('the cat', options);
      const free = (await llama.generate('the cat', { ...options, stop: undefined })).sequences;
      const scores = sequences.map(({ score }) => score);
      assert.deepEqual(
        scores,
        [...scores].sort((a, b) => b - a),
      );
      const places = sequences.map(({ ids }) => free.findIndex((one) => `${one.ids}`.startsWith(`${ids}`)));
      if (places.some((place, i) => i > 0 && place < places[i - 1])) changed++;
    }
    assert.ok(changed > 0, 'no stop text changed the order');
  });

  test('a chat with a stop text that occurs in its prompt', async () => {
    const messages = [{ role: 'user', content: 'the cat sat' }];
    const options = { maxNewTokens: 12, numBeams: 1, chatTemplate: "{{ messages[0]['content'] }}" };
    const free = await model.chat(messages, options);
    const shared = [...new Set(free.text.replaceAll(' ', ''))].filter((letter) =>
      'the cat sat'.includes(letter),
    );
    assert.ok(shared.length > 0);
    for (const stop of shared) {
      const { text } = await model.chat(messages, { ...options, stop });
      assert.equal(text, free.text.slice(0, free.text.indexOf(stop)));
    }
  });

  test('a score does not depend on how many tokens come at a time', async () => {
    const ids = model.tokenizer.encode('the cat sat', { addSpecialTokens: false }).ids;
    const options = { maxNewTokens: 40, stop: 'q', doSample: true, temperature: 3 };
    const inWorker = await createEngine({ threads: 1, worker: true });
    const far = await loadModel(folderWithWords('opt'), { engine: inWorker });
    let cut = 0;
    for (let seed = 1; seed <= 12; seed++) {
      const [near] = (await model.generate(ids, { ...options, seed })).sequences;
      const [distant] = (await far.generate(ids, { ...options, seed })).sequences;
      assert.deepEqual(distant, near);
      // One token at a time.
      let [text, score] = ['', 0];
      for await (const chunk of model.stream(ids, { ...options, seed })) {
        text += chunk.text;
        score = Math.fround(score + chunk.score);
      }
      assert.equal(score, near.score);
      assert.equal(model.tokenizer.decode(ids) + text, near.text);
      if (near.ids.length < ids.length + 40) cut++;
    }
    assert.ok(cut > 0);
    await inWorker.dispose();
  });

  test('a minLength that cannot be reached is refused, one that can is kept', async () => {
    const given = { maxNewTokens: 3, minLength: 50 };
    await assert.rejects(model.generate('the cat', given), { code: 'invalid_argument', message: /at least/ });
    const length = model.tokenizer.encode('the cat').ids.length + 3;
    const { sequences } = await model.generate('the cat', { maxNewTokens: 3, minLength: length });
    assert.equal(sequences[0].ids.length, length);
  });

  test('a chat has one answer', async () => {
    const messages = [{ role: 'user', content: 'the cat sat' }];
    const options = { numReturnSequences: 2, doSample: true, chatTemplate: "{{ messages[0]['content'] }}" };
    const refused = { code: 'invalid_argument', message: /one answer, got numReturnSequences 2/ };
    await assert.rejects(model.chat(messages, options), refused);
  });

  test('a stream has one result', async () => {
    const read = async () => {
      for await (const _ of model.stream('the cat', { numReturnSequences: 2, doSample: true }));
    };
    await assert.rejects(read(), { code: 'invalid_argument', message: /numReturnSequences 2/ });
  });

  test('a least length that cannot be reached is refused, but that of the checkpoint gives way', async () => {
    const given = { maxNewTokens: 3, minNewTokens: 5 };
    await assert.rejects(model.generate('the cat', given), {
      code: 'invalid_argument',
      message: /at least 5/,
    });
    const own = await loadModel(tinyModel({ generation: { min_length: 9 } }), { engine });
    const { sequences } = await own.generate('the cat', { maxNewTokens: 3 });
    assert.ok(sequences[0].ids.length <= 4);
  });

  test("a text as prefix follows the checkpoint's first token", async () => {
    const own = await loadModel(tinyModel({ generation: { forced_bos_token_id: 9 } }), { engine });
    const plain = own.tokenizer.encode('le chat', { isTarget: true, addSpecialTokens: false }).ids;
    const { sequences } = await own.generate('the cat', { prefix: 'le chat', maxNewTokens: 3 });
    assert.deepEqual(sequences[0].ids.slice(1, 4), [9, ...plain]);
  });
});
