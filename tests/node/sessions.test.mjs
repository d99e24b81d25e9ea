// Conversations that go on turn by turn, as a cold run of the same tokens.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { byteModel } from '../lib/byte_model.mjs';
import { randomNumbers } from '../lib/random.mjs';

const template =
  "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const others = {
  'tokenizer_config.json': { chat_template: template },
  'generation_config.json': { eos_token_id: 5, max_new_tokens: 40 },
};

let engine;
let warm;
let cold;
before(async () => {
  engine = await createEngine({ threads: 2 });
  warm = await loadModel(byteModel({ others }), { engine });
  cold = await loadModel(byteModel({ others }), { engine });
});
after(async () => {
  await engine.dispose();
});

describe('sessions', () => {
  const sampling = { doSample: true, temperature: 1.5, seed: 9, maxNewTokens: 30 };

  test('a turn continues the tokens of those before it, as a cold run of the same', async () => {
    const session = await warm.session({ system: 'Be brief. '.repeat(20), ...sampling });
    let ids = [];
    for (const question of ['Who?', 'And then?', 'Why?']) {
      const reply = await session.send(question);
      assert.equal(reply.dropped, 0);
      assert.equal(reply.message.content, reply.text);
      const begun = ids;
      // What the model reads: the tokens of the last turns, then the end of the answer and the next question.
      const rendered = warm.tokenizer.encode(reply.prompt, { addSpecialTokens: false }).ids;
      if (begun.length > 0) {
        const tail = `<|im_end|>\n<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
        ids = [...begun, ...warm.tokenizer.encode(tail, { addSpecialTokens: false }).ids];
      } else ids = rendered;
      const again = await cold.generate(ids, sampling);
      assert.deepEqual(again.sequences[0].ids.slice(ids.length), reply.ids);
      assert.equal(again.sequences[0].score, reply.score);
      const said = reply.ids.at(-1) === 5 ? reply.ids.slice(0, -1) : reply.ids;
      ids = [...ids, ...said];
    }
    assert.equal(session.turns, 3);
    assert.deepEqual(
      session.messages.map(({ role }) => role),
      ['system', ...Array.from({ length: 3 }, () => ['user', 'assistant']).flat()],
    );
  });

  test('forks go their own way; a session can be rewound, saved and loaded', async () => {
    const session = await warm.session(sampling);
    await session.send('One');
    const fork = session.fork();
    const [a, b] = [await session.send('Two'), await fork.send('Two')];
    assert.deepEqual(a, b);
    await fork.send('Three');
    assert.deepEqual([session.turns, fork.turns], [2, 3]);
    fork.rewind(1);
    assert.deepEqual(await fork.send('Two'), a);
    const saved = await session.save();
    for (const model of [warm, cold]) {
      const loaded = await model.loadSession(saved);
      assert.deepEqual(loaded.messages, session.messages);
      const copy = session.fork();
      assert.deepEqual(await loaded.send('Three'), await copy.send('Three'));
    }
    assert.throws(() => session.rewind(3), { code: 'invalid_argument' });
    session.dispose();
    await assert.rejects(session.send('More'), { code: 'disposed' });
  });

  test('saved with its cache, a conversation is not read again', async () => {
    const prefixCacheBytes = 64 << 20; // by default the tiny model has little
    const first = await loadModel(byteModel({ others }), { engine, prefixCacheBytes });
    const session = await first.session({ system: 'Be brief. '.repeat(40), ...sampling });
    for (const question of ['One', 'Two']) await session.send(question);
    const [plain, whole] = [await session.save(), await session.save({ cache: true })];
    assert.ok(whole.length > 10 * plain.length, `${whole.length} bytes`);
    const recalled = (model) => model.loaded.host.invoke(model.loaded.handle, 'recalledTokens');
    const expected = await session.fork().send('Three');
    for (const [saved, known, options] of [
      [plain, false],
      [whole, true],
      [whole, false, { dtype: 'int8' }],
      [whole, false, { prefixCacheBytes: 0 }],
    ]) {
      const fresh = await loadModel(byteModel({ others }), { engine, prefixCacheBytes, ...options });
      const loaded = await fresh.loadSession(saved);
      assert.deepEqual(loaded.messages, session.messages);
      const reply = await loaded.send('Three');
      if (!options?.dtype) assert.deepEqual(reply, expected);
      assert.equal((await recalled(fresh)) >= 256, known, JSON.stringify(options));
      await fresh.dispose();
    }
    // The same shape, other weights.
    const other = await loadModel(byteModel({ others, seed: 8 }), { engine, prefixCacheBytes });
    await assert.rejects(other.loadSession(whole), { code: 'invalid_argument', message: /another model/ });
    await other.dispose();
    await assert.rejects(session.save({ cache: 1 }), { code: 'invalid_argument' });
    await assert.rejects(session.save({ cash: true }), { code: 'invalid_argument', message: /cache/ });
    // Of a session that has said nothing there is nothing to remember.
    const nothing = await first.session();
    assert.deepEqual(await nothing.save({ cache: true }), await nothing.save());
    await first.dispose();
  });

  test('damaged bytes are refused', async () => {
    const own = await loadModel(byteModel({ others }), { engine, prefixCacheBytes: 64 << 20 });
    const session = await own.session({ system: 'S'.repeat(150), ...sampling });
    await session.send('One');
    for (const saved of [await session.save(), await session.save({ cache: true })]) {
      const random = randomNumbers(5);
      for (let round = 0; round < 20; round++) {
        const place = round < 8 ? round * 12 : random.below(saved.length);
        const flipped = saved.slice();
        flipped[place] ^= 1 << random.below(8);
        const inserted = new Uint8Array(saved.length + 1);
        inserted.set(saved);
        for (const damaged of [flipped, saved.slice(0, place), inserted, saved.slice(place + 1)])
          await assert.rejects(own.loadSession(damaged), { code: 'invalid_argument' }, `${place}`);
      }
      const loaded = await own.loadSession(saved);
      assert.deepEqual(await loaded.send('Two'), await session.fork().send('Two'));
    }
    await own.dispose();
  });

  test('streams, alone and to their end', async () => {
    const [session, other] = [await warm.session(sampling), await warm.session(sampling)];
    let text = '';
    for await (const chunk of session.stream('Hello')) text += chunk.text;
    assert.equal((await other.send('Hello')).text, text);
    assert.deepEqual(session.messages, other.messages);
    const running = session.stream('Again');
    await running.next();
    await assert.rejects(session.send('Too soon'), { code: 'invalid_argument', message: /still answering/ });
    await running.return();
    assert.equal(session.turns, 2);
    await session.send('Now');
  });

  test('a turn that fails leaves the session as it was', async () => {
    const session = await warm.session(sampling);
    await session.send('One');
    const controller = new AbortController();
    const aborted = session.send('Two', {
      signal: controller.signal,
      maxNewTokens: 3000,
      minNewTokens: 2900,
    });
    controller.abort(new Error('enough'));
    await assert.rejects(aborted, /enough/);
    await assert.rejects(session.send('Two', { temperature: -1 }), { code: 'invalid_argument' });
    assert.equal(session.turns, 1);
    await session.send('Two');
    assert.equal(session.turns, 2);
  });

  test('without room: an error, without the oldest turns, or without tokens in the middle', async () => {
    const options = { ...sampling, system: 'S', maxTokens: 200 };
    const strict = await warm.session(options);
    const until = async (session) => {
      for (let turn = 0; turn < 12; turn++) {
        const reply = await session.send(`Question ${turn}`);
        assert.ok(reply.ids.length <= 30);
        if (reply.dropped > 0) return reply;
      }
      return null;
    };
    await assert.rejects(until(strict), { code: 'invalid_argument', message: /room for 200/ });
    const before = strict.turns;
    await assert.rejects(strict.send('More'), { code: 'invalid_argument' });
    assert.equal(strict.turns, before);
    const dropping = await warm.session({ ...options, whenFull: 'drop' });
    const reply = await until(dropping);
    assert.ok(
      reply.prompt.startsWith('<|im_start|>system\nS<|im_end|>') && !reply.prompt.includes('Question 0<'),
    );
    const [fork, chunks] = [dropping.fork(), []];
    for await (const chunk of fork.stream('More')) chunks.push(chunk);
    const { dropped } = await dropping.send('More');
    assert.ok(dropped > 0 && chunks.every((chunk) => chunk.dropped === dropped));
    const window = await warm.session({ ...options, whenFull: { keep: 8 } });
    assert.ok((await until(window)).dropped > 0);
    for (const session of [dropping, window]) await session.send('Last');
  });

  test('bad input', async () => {
    const { message } = await warm.session().then((session) => session.send('Hi'));
    assert.equal(message.role, 'assistant');
    for (const options of [
      { whenFull: 'never' },
      { whenFull: { keep: -1 } },
      { maxTokens: 0 },
      { system: 3 },
    ])
      await assert.rejects(warm.session(options), { code: 'invalid_argument' });
    const other = await loadModel(byteModel({ others, config: { d_ff: 32 } }), { engine });
    const saved = await (await warm.session()).save();
    await assert.rejects(other.loadSession(saved), { code: 'invalid_argument', message: /another model/ });
    await other.dispose();
    for (const bytes of [
      new Uint8Array(),
      new Uint8Array([1, 2]),
      new TextEncoder().encode('{"format":1}'),
      'x',
    ])
      await assert.rejects(warm.loadSession(bytes), { code: 'invalid_argument' });
  });
});
