// Firefox's translation models against Bergamot's own answers: invented languages, of which one has a vocabulary of its own
// on each side.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { expectedOf, modelName, studentFiles } from '../lib/students.mjs';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

/** Where the two best tokens of every step are this far apart, no other rounding may change a translation. */
const clear = 1.5;

for (const pair of ['yyzz', 'xxcc']) {
  const expected = expectedOf(pair);

  describe(`${pair}, integers as they are, without saturation`, () => {
    let model;
    before(async () => {
      model = await loadModel(studentFiles(pair), { engine });
    });
    after(() => model.dispose());
    // What the model itself writes: no number is repaired, nothing is kept from it.
    const textOf = async (source, options) =>
      (await model.translate(source, { keep: false, ...options })).text;

    test('is what it says', () => {
      assert.equal(model.config.model_type, 'marian-student');
      assert.equal(model.info.family, 'marian-student');
      assert.equal(model.info.dtype, 'int8');
      assert.deepEqual(model.info.unusedTensors, []);
    });

    for (const [run, options] of [
      ['firefox', {}],
      ['alphas-noshortlist', { lexicalShortlist: false }],
    ]) {
      test(`translations: ${run}`, async () => {
        const cases = expected[run].filter(({ margin }) => margin >= clear);
        assert.ok(cases.length >= 10);
        for (const { source, target } of cases) assert.equal(await textOf(source, options), target);
        let same = 0;
        for (const { source, target } of expected[run])
          if ((await textOf(source, options)) === target) same++;
        assert.ok(same >= 0.9 * expected[run].length, `${same} of ${expected[run].length}`);
      });
    }

    test('all texts at once give what each gives alone', async () => {
      const sources = expected.firefox.map(({ source }) => source);
      for (const options of [{}, { numBeams: 3 }, { doSample: true, seed: 5, topK: 0 }]) {
        const together = await model.generate(sources, options);
        for (const [i, source] of sources.entries()) {
          const alone = await model.generate(source, options);
          assert.deepEqual(together[i].sequences, alone.sequences);
        }
      }
    });

    test('several calls at once share a batch', async () => {
      const some = expected.firefox.slice(0, 6);
      const all = await Promise.all(some.map(({ source }) => model.generate(source)));
      for (const [i, { source }] of some.entries()) assert.deepEqual(all[i], await model.generate(source));
    });

    test('only candidates are chosen', async () => {
      for (const { ids, shortlist } of expected.shortlists) {
        const { sequences } = await model.generate(ids, {
          doSample: true,
          temperature: 50,
          seed: 1,
          topK: 0,
        });
        for (const id of sequences[0].ids) assert.ok(shortlist.includes(id), `${id}`);
      }
    });

    test('drafts change nothing', async () => {
      const assistant = await loadModel(studentFiles(pair), { engine, dtype: 'int4' });
      for (const { source } of expected.firefox.slice(0, 8)) {
        const plain = await model.generate(source);
        assert.deepEqual(await model.generate(source, { promptLookupNumTokens: 5 }), plain);
        assert.deepEqual(await model.generate(source, { assistantModel: assistant }), plain);
      }
      assistant.dispose();
    });

    test('a result has at most twice as many tokens as its source, unless a number is given', async () => {
      const endless = { eosTokenId: 2, suppressTokens: [0, 1, 2] };
      const { sequences, inputIds } = await model.generate(expected.firefox[0].source, endless);
      assert.equal(sequences[0].tokenScores.length, 2 * inputIds.length);
      const long = await model.generate(expected.firefox[0].source, { ...endless, maxNewTokens: 70 });
      assert.equal(long.sequences[0].tokenScores.length, 70);
    });

    test('one pass over the result has its attention, and the predictions of its steps', async () => {
      const { source } = expected.firefox[0];
      const { sequences, inputIds } = await model.generate(source, { lexicalShortlist: false });
      const ids = sequences[0].ids;
      const pass = await model.forward(
        { inputIds: [inputIds], decoderInputIds: [ids.slice(0, -1)] },
        { outputAttentions: true, trace: ['decoder.layers.*.ssru.cells'] },
      );
      const [, time, vocab] = pass.logits.shape;
      for (let step = 0; step < time; step++) {
        const row = pass.logits.data.slice(step * vocab, (step + 1) * vocab);
        row[1] = -Infinity; // the unknown token is never chosen
        assert.equal(row.indexOf(Math.max(...row)), ids[step + 1]);
      }
      assert.equal(pass.crossAttentions.length, model.config['dec-depth']);
      assert.deepEqual(pass.trace['decoder.layers.0.ssru.cells'].shape, [1, time, 64]);
    });

    test('a head that is off changes the result', async () => {
      const { source } = expected.firefox[0];
      const layer = model.config['dec-depth'] - 1;
      const heads = { [`decoder.layers.${layer}.cross.*`]: 0 };
      assert.notEqual(await textOf(source, { heads }), await textOf(source));
      await assert.rejects(textOf(source, { heads: { 'decoder.layers.0.self.0': 0 } }), {
        code: 'invalid_argument',
        message: /no head matches/,
      });
    });
  });

  describe(`${pair} with Bergamot's arithmetic`, () => {
    let model;
    before(async () => {
      model = await loadModel(studentFiles(pair), { engine, dtype: 'bergamot' });
    });
    after(() => model.dispose());
    const beams = { numBeams: 4, lengthPenalty: 1 };
    for (const [run, options] of [
      ['firefox', {}],
      ['alphas-noshortlist', { lexicalShortlist: false }],
      ['beam4', beams],
      // As a whole, since what has no letter or digit is no sentence, and would stay as it is.
      ['allow-unk', { lexicalShortlist: false, suppressTokens: [], split: false }],
    ]) {
      test(`every translation: ${run}`, async () => {
        assert.ok(expected[run].length > 5);
        for (const { source, target } of expected[run])
          assert.equal((await model.translate(source, { keep: false, ...options })).text, target.trim());
      });
    }

    test('scores', async () => {
      for (const { source, target, score } of expected.scores) {
        const { sequences } = await model.generate(source);
        assert.equal(sequences[0].text, target.trim());
        const { tokenScores, tokens } = sequences[0];
        // Of each word the mean of its tokens, without the end.
        const words = [];
        for (const [i, token] of tokens.slice(0, -1).entries()) {
          if (i === 0 || token.startsWith('\u2581')) words.push([]);
          words.at(-1).push(tokenScores[i]);
        }
        const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
        const found = mean(words.map(mean));
        assert.ok(Math.abs(found - score) < 2e-4 + 0.01 * Math.abs(score), `${found} ${score}`);
      }
    });

    test('alignment: the head that was taught', async () => {
      for (const { source, alignment } of expected.firefox) {
        if (!alignment) continue;
        const { crossAttentions } = await model.translate(source, { outputAttentions: true });
        const { data, shape } = crossAttentions.at(-1);
        const [, , queries, keys] = shape;
        assert.equal(queries, alignment.length);
        for (const [i, row] of alignment.entries())
          for (const [k, weight] of row.entries())
            assert.ok(Math.abs(data[i * keys + k] - weight) < 0.01, `${data[i * keys + k]} ${weight}`);
      }
    });

    test('a batch changes nothing', async () => {
      const sources = expected.firefox.map(({ source }) => source);
      const together = await model.generate(sources);
      for (const [i, source] of sources.entries())
        assert.deepEqual(together[i], await model.generate(source));
    });
  });
}

test('Bergamot quantises only what has multipliers', async () => {
  const files = studentFiles('yyzz');
  const { inFloats } = await import('../lib/students.mjs');
  files.set(modelName('yyzz'), inFloats(files.get(modelName('yyzz'))));
  await assert.rejects(loadModel(files, { engine, dtype: 'bergamot' }), {
    code: 'unsupported',
    message: /intgemm\.alphas/,
  });
});

test('a text that looks like a special token is text', async () => {
  const model = await loadModel(studentFiles('yyzz'), { engine });
  const { inputIds, inputTokens } = await model.generate('</s> goz');
  assert.equal(inputIds.indexOf(0), inputIds.length - 1, inputTokens.join(' '));
  model.dispose();
});
