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
