// Keys and values, and encodings, that are not computed again: with the bits of a cold run.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { byteModel } from '../lib/byte_model.mjs';
import { folderWithIds } from '../lib/tiny_folder.mjs';

const template =
  "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const others = {
  'tokenizer_config.json': { chat_template: template },
  'generation_config.json': { eos_token_id: 5, max_new_tokens: 40 },
};
const mostBytes = 64 << 20;

const engines = [];
let warm;
let cold;
before(async () => {
  for (const threads of [2, 1]) engines.push(await createEngine({ threads }));
  warm = await loadModel(byteModel({ others }), { engine: engines[0], prefixCacheBytes: mostBytes });
  cold = await loadModel(byteModel({ others }), { engine: engines[0], prefixCacheBytes: 0 });
});
after(async () => {
  for (const engine of engines) await engine.dispose();
});

const remembered = (model) => model.loaded.host.invoke(model.loaded.handle, 'limitPrefixes', -1);
const long = (count, seed = 0) =>
  Array.from({ length: count }, (_, i) => 10 + ((i * 7 + seed * 31 + (i >> 3)) % 200));
const recalled = (model) => model.loaded.host.invoke(model.loaded.handle, 'recalledTokens');
const bitsOf = ({ sequences }) =>
  sequences.map(({ ids, score, tokenScores }) => ({ ids, score, tokenScores }));

describe('what was computed once', () => {
  const kinds = {
    greedy: {},
    sampled: { doSample: true, seed: 4, numReturnSequences: 3 },
    beams: { numBeams: 3, numReturnSequences: 2 },
    drafts: { promptLookupNumTokens: 4 },
    form: { constrain: { regex: '[a-z]+ [0-9]+' } },
    repeated: { repetitionPenalty: 1.2, noRepeatNgramSize: 3 },
  };
  for (const [name, options] of Object.entries(kinds)) {
    test(`${name}: the bits of a cold run, for the same text, a longer one and one that parts`, async () => {
      const texts = [
        long(200),
        long(200),
        long(330),
        [...long(150), ...long(80, 2)],
        long(129),
        long(128),
        long(64),
      ];
      for (const ids of texts) {
        const settings = { maxNewTokens: 70, ...options };
        assert.deepEqual(
          bitsOf(await warm.generate(ids, settings)),
          bitsOf(await cold.generate(ids, settings)),
        );
      }
      assert.ok((await remembered(warm)) > 0);
      assert.equal(await remembered(cold), 0);
    });
  }

  test('many callers, batches and streams at once', async () => {
    const inputs = Array.from({ length: 12 }, (_, i) => [...long(140), ...long(3 + i, i)]);
    const options = { maxNewTokens: 20 };
    const expected = [];
    for (const ids of inputs) expected.push(bitsOf(await cold.generate(ids, options)));
    const fresh = await loadModel(byteModel({ others }), { engine: engines[0], prefixCacheBytes: mostBytes });
    const results = await Promise.all(inputs.map((ids) => fresh.generate(ids, options)));
    assert.deepEqual(results.map(bitsOf), expected);
    assert.deepEqual((await fresh.generate(inputs, options)).map(bitsOf), expected);
    await fresh.dispose();
  });

  test('in every format and family, with any number of threads', async () => {
    const cases = {
      llama: 'f32',
      qwen2: 'int8',
      gemma2: 'f32',
      gpt_neox: 'int4',
      bloom: 'f32',
      mistral: 'int8',
    };
    for (const [name, dtype] of Object.entries(cases)) {
      const results = [];
      for (const [prefixCacheBytes, engine] of [
        [0, engines[0]],
        [mostBytes, engines[0]],
        [mostBytes, engines[1]],
      ]) {
        const model = await loadModel(folderWithIds(name, 8), { engine, dtype, prefixCacheBytes });
        const vocab = model.config.vocab_size;
        const room = (model.config.max_position_embeddings ?? 200) - 8;
        const ids = Array.from({ length: Math.min(150, room) }, (_, i) => 4 + ((i * 11) % (vocab - 4)));
        const options = { maxNewTokens: 6 };
        const runs = [];
        for (const length of [ids.length, ids.length, ids.length - 5])
          runs.push(bitsOf(await model.generate(ids.slice(0, length), options)));
        results.push(runs);
        await model.dispose();
      }
      assert.deepEqual(results[1], results[0], name);
      assert.deepEqual(results[2], results[0], name);
    }
  });

  test("an encoder's states of a source", async () => {
    const files = () =>
      byteModel({ encoder: 2, others: { 'generation_config.json': { max_new_tokens: 12 } } });
    const [first, other] = [
      await loadModel(files(), { engine: engines[0], prefixCacheBytes: mostBytes }),
      await loadModel(files(), { engine: engines[0], prefixCacheBytes: 0 }),
    ];
    const sources = ['one two three', 'four', 'one two three', 'five six'];
    const expected = (await other.generate(sources)).map(bitsOf);
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(
        (await first.generate(sources.slice(0, 2 + round))).map(bitsOf),
        expected.slice(0, 2 + round),
      );
      assert.deepEqual((await first.generate(sources)).map(bitsOf), expected);
    }
    const beams = { numBeams: 4, numReturnSequences: 3 };
    assert.deepEqual(
      bitsOf(await first.generate('four', beams)),
      bitsOf(await other.generate('four', beams)),
    );
    assert.ok((await remembered(first)) > 0);
    await first.dispose();
    await other.dispose();
  });

  test('what all prompts of a batch begin with is computed once', async () => {
    const inputs = Array.from({ length: 8 }, (_, i) => [...long(130), ...long(20, i)]);
    const fresh = await loadModel(byteModel({ others }), { engine: engines[0], prefixCacheBytes: mostBytes });
    await fresh.generate(inputs, { maxNewTokens: 3 });
    assert.ok((await recalled(fresh)) >= 7 * 128);
    await fresh.dispose();
  });

  test('passes that are changed or watched neither read nor write it', async () => {
    const fresh = await loadModel(byteModel({ others }), { engine: engines[0], prefixCacheBytes: mostBytes });
    const ids = long(200);
    const settings = { maxNewTokens: 5 };
    const watching = [
      { edits: [{ at: 'decoder.layers.0.output', positions: [3], add: 5 }] },
      { edits: [{ at: 'decoder.layers.1.output', scale: 0.5 }] },
      { heads: { 'decoder.layers.0.self.0': 0 } },
      { trace: ['decoder.layers.0.output'] },
      { outputAttentions: true },
    ];
    const run = async (model, options) => {
      const { trace, attentions, ...result } = await model.generate(ids, { ...settings, ...options });
      return { ...result, ...(trace && { trace }), ...(attentions && { attentions }) };
    };
    const expected = [];
    for (const options of watching) expected.push(await run(cold, options));
    const changed = expected.slice(0, 3).map(bitsOf);
    for (const options of watching.slice(0, 3)) await run(fresh, options);
    assert.equal(await remembered(fresh), 0);
    const plain = bitsOf(await run(fresh, {}));
    for (const one of changed) assert.notDeepEqual(one, plain);
    assert.ok((await remembered(fresh)) > 0);
    const before = await recalled(fresh);
    for (const [i, options] of watching.entries()) {
      assert.deepEqual(await run(fresh, options), expected[i], JSON.stringify(options));
      assert.equal(bitsOf(await run(fresh, {})).length, 1);
      assert.deepEqual(bitsOf(await run(fresh, {})), plain);
    }
    assert.equal(await recalled(fresh), before + (2 * watching.length + 2) * 192);
    // At the same time as others, too.
    const mixed = await Promise.all([...watching.slice(0, 3), {}, {}].map((options) => run(fresh, options)));
    assert.deepEqual(mixed.map(bitsOf), [...changed, plain, plain]);
    await fresh.dispose();
  });

  test('positions that depend on the length, and long prompts of encoder-decoders, are computed anew', async () => {
    const dynamic = () => {
      const files = folderWithIds('llama_rope_dynamic', 8);
      const config = JSON.parse(new TextDecoder().decode(files.get('config.json')));
      return files.set(
        'config.json',
        new TextEncoder().encode(JSON.stringify({ ...config, max_position_embeddings: 100 })),
      );
    };
    const prompts = [0, 1].map((i) =>
      Array.from({ length: 75 }, (_, n) => 4 + ((n + (n > 70 ? i : 0)) % 20)),
    );
    const translation = () => byteModel({ encoder: 2, others });
    for (const [files, inputs, options] of [
      [dynamic, prompts, {}],
      [translation, ['one two', 'three'], { prefix: 'so be it. '.repeat(8) }],
    ]) {
      const load = (prefixCacheBytes) => loadModel(files(), { engine: engines[0], prefixCacheBytes });
      const [model, plain] = [await load(mostBytes), await load(0)];
      const settings = { maxNewTokens: 4, ...options };
      const expected = (await plain.generate(inputs, settings)).map(bitsOf);
      for (let round = 0; round < 2; round++)
        assert.deepEqual((await model.generate(inputs, settings)).map(bitsOf), expected);
      assert.equal(await recalled(model), 0);
      await model.dispose();
      await plain.dispose();
    }
  });

  test('a chat of 50 turns computes about as many tokens in each turn', async () => {
    const model = await loadModel(byteModel({ others }), { engine: engines[0], prefixCacheBytes: mostBytes });
    const session = await model.session({ system: 'Be brief.', maxNewTokens: 4 });
    const idsOf = (text) => model.tokenizer.encode(text, { addSpecialTokens: false }).ids;
    let ids = [];
    let known = 0;
    const computed = [];
    for (let turn = 0; turn < 50; turn++) {
      const question = `Question ${turn}?`;
      const reply = await session.send(question);
      const next = `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
      ids = turn === 0 ? idsOf(reply.prompt) : [...ids, ...idsOf(`<|im_end|>\n${next}`)];
      const before = known;
      known = await recalled(model);
      computed.push(ids.length - (known - before));
      ids = [...ids, ...reply.ids.filter((id) => id !== 5)];
    }
    assert.ok(ids.length > 1500, `${ids.length}`);
    const most = 64 + Math.max(...computed.slice(0, 1), 50);
    assert.ok(Math.max(...computed) <= most, `${computed}`);
    await model.dispose();
  });

  test('stays below its limit, and can be switched off', async () => {
    const limit = 200_000;
    const small = await loadModel(byteModel({ others }), { engine: engines[0], prefixCacheBytes: limit });
    for (let seed = 0; seed < 6; seed++) {
      const ids = long(400, seed);
      const options = { maxNewTokens: 5 };
      assert.deepEqual(bitsOf(await small.generate(ids, options)), bitsOf(await cold.generate(ids, options)));
      const bytes = await remembered(small);
      assert.ok(bytes > 0 && bytes <= limit, `${bytes}`);
    }
    await small.dispose();
    await assert.rejects(loadModel(byteModel(), { prefixCacheBytes: -1 }), { code: 'invalid_argument' });
  });
});
