// Generation settings of checkpoints, and the options that override them.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { generationInputs, json, readFamilyCase } from '../lib/families.mjs';

describe('generation settings', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  const generate = async (name, changes, options = {}) => {
    const given = readFamilyCase(name);
    const model = await loadModel(given.files(changes), { engine });
    try {
      const results = await model.generate(generationInputs(given, {}), { maxNewTokens: 20, ...options });
      return results.map(({ sequences }) => sequences.map(({ ids, score }) => ({ ids, score })));
    } finally {
      await model.dispose();
    }
  };
  const withSettings = (name, settings) => {
    const own = JSON.parse(readFamilyCase(name).file('generation_config.json'));
    return { 'generation_config.json': json({ ...own, ...settings }) };
  };

  test('without generation_config.json, those of config.json apply', async () => {
    for (const name of ['bart', 'marian', 'm2m100'])
      assert.deepEqual(await generate(name, { 'generation_config.json': null }), await generate(name, {}));
  });

  test('if that has none, those of the config class apply', async () => {
    const { config } = readFamilyCase('bart');
    const { forced_eos_token_id: _, eos_token_id: __, decoder_start_token_id: ___, ...older } = config;
    const changes = { 'generation_config.json': null, 'config.json': json(older) };
    assert.deepEqual(await generate('bart', changes), await generate('bart', {}));
    const { forced_bos_token_id: ____, ...oldest } = older;
    const flag = { ...changes, 'config.json': json({ ...oldest, force_bos_token_to_be_generated: true }) };
    assert.deepEqual(await generate('bart', flag), await generate('bart', {}));
  });

  test("an option overrides the file's setting of the same meaning", async () => {
    for (const [settings, options] of [
      [
        { num_beams: 3, length_penalty: 0.4 },
        { numBeams: 3, lengthPenalty: 0.4 },
      ],
      [
        { suppress_tokens: [70, 83], begin_suppress_tokens: [51] },
        { suppressTokens: [70, 83], beginSuppressTokens: [51] },
      ],
      [{ renormalize_logits: true }, { renormalizeLogits: true }],
      [{ eos_token_id: [0, 110] }, { eosTokenId: [0, 110] }],
      [{ min_length: 15 }, { minLength: 15 }],
    ]) {
      const byFile = await generate('marian', withSettings('marian', settings));
      assert.deepEqual(await generate('marian', {}, options), byFile);
      assert.notDeepEqual(byFile, await generate('marian', {}));
    }
    const short = withSettings('marian', { max_length: 7 });
    assert.deepEqual(
      await generate('marian', short, { maxNewTokens: undefined }),
      await generate('marian', {}, { maxNewTokens: 6 }),
    );
  });

  test('unsupported settings are rejected by name', async () => {
    for (const settings of [
      { force_words_ids: [[[5]]] },
      { penalty_alpha: 0.6 },
      { guidance_scale: 1.5 },
      { stop_strings: ['.'] },
    ]) {
      const [name] = Object.keys(settings);
      await assert.rejects(generate('bart', withSettings('bart', settings)), {
        code: 'unsupported',
        message: new RegExp(name),
      });
    }
  });

  test('locally typical sampling, seeded', async () => {
    const options = { doSample: true, numBeams: 1, seed: 7, noRepeatNgramSize: 0 };
    const typical = await generate('marian', withSettings('marian', { typical_p: 0.3 }), options);
    assert.deepEqual(await generate('marian', {}, { ...options, typicalP: 0.3 }), typical);
    assert.notDeepEqual(await generate('marian', {}, { ...options, typicalP: 0.95 }), typical);
  });

  test("whisper: the decoder's prompt, from the file or the caller", async () => {
    const wanted = await generate('whisper', {}, { prefix: [102, 103] });
    const forced = withSettings('whisper', {
      forced_decoder_ids: [
        [1, 102],
        [2, 103],
      ],
    });
    assert.deepEqual(await generate('whisper', forced), wanted);
    const open = withSettings('whisper', {
      forced_decoder_ids: [
        [1, null],
        [2, 103],
      ],
    });
    assert.deepEqual(await generate('whisper', open, { prefix: [102, 103] }), wanted);
    await assert.rejects(generate('whisper', open), { code: 'invalid_argument', message: /prefix/ });
  });

  test('a shortlist allows only its tokens and the end token, in every search', async () => {
    const { config } = readFamilyCase('marian');
    const shortlist = [3, 17, 29, 51, 70, 83];
    const others = Array.from({ length: config.vocab_size }, (_, id) => id).filter(
      (id) => !shortlist.includes(id) && id !== config.eos_token_id && id !== config.forced_eos_token_id,
    );
    for (const way of [{ numBeams: 1 }, { numBeams: 3 }, { numBeams: 1, doSample: true, seed: 5 }]) {
      const options = { ...way, renormalizeLogits: true };
      const listed = await generate('marian', {}, { ...options, shortlist });
      const forbidden = await generate('marian', {}, { ...options, suppressTokens: others });
      for (const [i, sequences] of listed.entries()) {
        for (const [rank, { ids, score }] of sequences.entries()) {
          assert.deepEqual(ids, forbidden[i][rank].ids);
          assert.ok(Math.abs(score - forbidden[i][rank].score) < 1e-4);
        }
      }
    }
  });

  test('options that forbid every token are refused, in every search', async () => {
    const { config } = readFamilyCase('marian');
    const suppressTokens = Array.from({ length: config.vocab_size }, (_, id) => id);
    for (const way of [{ numBeams: 1 }, { numBeams: 3 }, { numBeams: 1, doSample: true, seed: 5 }]) {
      await assert.rejects(generate('marian', {}, { ...way, suppressTokens }), {
        code: 'invalid_argument',
        message: /no token can be chosen/,
      });
    }
  });

  test('a shortlist that is empty or contains invalid tokens is rejected', async () => {
    const { config } = readFamilyCase('marian');
    for (const shortlist of [[], [-1], [config.vocab_size], [1.5], 'cat']) {
      await assert.rejects(generate('marian', {}, { shortlist }), { code: 'invalid_argument' });
    }
  });
});
