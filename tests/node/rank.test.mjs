// Ranking: the scores of cross-encoders as sentence-transformers gives them, and those of a reranker that says yes or no.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { cutPair } from '../../build/modules/tasks/rank.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { pipeline } from '../../dist/pipeline.js';
import { json, readFamilyCase } from '../lib/families.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

const tolerance = 1e-5;

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

async function withModel(files, work) {
  const model = await loadModel(files, { engine });
  try {
    return await work(model);
  } finally {
    await model.dispose();
  }
}

const filesOf = (given, changes = {}) =>
  given.files({
    'tokenizer.json': given.file('tokenizer.json'),
    'tokenizer_config.json': given.file('tokenizer_config.json'),
    ...changes,
  });

function assertScores(ranked, texts, scores) {
  assert.equal(ranked.length, texts.length);
  for (const { index, score, text } of ranked) {
    assert.equal(text, texts[index]);
    assert.ok(Math.abs(score - scores[index]) <= tolerance, `${score}, expected ${scores[index]}`);
  }
  const best = [...scores.keys()].sort((a, b) => scores[b] - scores[a]);
  assert.deepEqual(
    ranked.map(({ index }) => index),
    best,
  );
}

describe('cross-encoders', () => {
  const given = readFamilyCase('cross_encoder');
  const old = { 'config.json': given.file('config_old.json') };
  const { pairs } = given.about;
  const { pairs: oldPairs } = JSON.parse(given.file('expected_old.json'));

  test('the activation of newer folders: sigmoid', () =>
    withModel(filesOf(given), async (model) => {
      for (const { query, passages, scores } of pairs)
        assertScores(await model.rank(query, passages), passages, scores);
    }));

  test('the activation of older folders: none', () =>
    withModel(filesOf(given, old), async (model) => {
      for (const { query, passages, scores } of oldPairs)
        assertScores(await model.rank(query, passages), passages, scores);
    }));

  test('without an activation: sigmoid; and another that is asked for', () => {
    const { sentence_transformers: _, ...config } = given.config;
    return withModel(filesOf(given, { 'config.json': json(config) }), async (model) => {
      const [{ query, passages, scores }] = pairs;
      assertScores(await model.rank(query, passages), passages, scores);
      assertScores(await model.rank(query, passages, { activation: 'none' }), passages, oldPairs[0].scores);
    });
  });

  test('topK, equal texts, no texts', () =>
    withModel(filesOf(given), async (model) => {
      const [{ query, passages, ranking }] = pairs;
      const [best, ...others] = await model.rank(query, passages, { topK: 1 });
      assert.deepEqual([best.index, others], [ranking[0], []]);
      const same = await model.rank(query, ['berlin', 'berlin']);
      assert.deepEqual([same[0].index, same[0].score], [0, same[1].score]);
      assert.deepEqual(await model.rank(query, []), []);
    }));

  test('the pipeline, in the shape of sentence-transformers', async () => {
    const rank = await pipeline('text-ranking', filesOf(given), { engine });
    const [{ query, passages, ranking, scores }] = pairs;
    const [best] = await rank(query, passages, { top_k: 1, return_documents: true });
    assert.deepEqual(Object.keys(best), ['corpus_id', 'score', 'text']);
    assert.deepEqual([best.corpus_id, best.text], [ranking[0], passages[ranking[0]]]);
    assert.ok(Math.abs(best.score - scores[ranking[0]]) <= tolerance);
    await rank.dispose();
  });

  test('what is refused', async () => {
    const two = { ...given.config, sentence_transformers: { activation_fn: 'torch.nn.Tanh' } };
    await withModel(filesOf(given, { 'config.json': json(two) }), (model) =>
      assert.rejects(model.rank('a', ['b']), { code: 'unsupported', message: /torch\.nn\.Tanh/ }),
    );
    await withModel(filesOf(given), async (model) => {
      await assert.rejects(model.rank('', ['b']), { code: 'invalid_argument', message: /query is empty/ });
      await assert.rejects(model.rank('a', 'b'), { code: 'invalid_argument', message: /list of strings/ });
      await assert.rejects(model.rank('a', ['b', '']), { message: /texts\[1\] is empty/ });
      await assert.rejects(model.rank('a', ['b'], { activation: 'softmax' }), { code: 'invalid_argument' });
      await assert.rejects(model.rank('a', ['b'], { instruction: 'Judge' }), {
        code: 'unsupported',
        message: /takes no instruction/,
      });
      const { signal } = AbortSignal.abort ? { signal: AbortSignal.abort() } : {};
      await assert.rejects(model.rank('a', ['b'], { signal }), { name: 'AbortError' });
    });
    await withModel(tinyModel(), (model) =>
      assert.rejects(model.rank('the cat', ['dog']), { code: 'unsupported' }),
    );
  });
});

describe('pairs that are too long', () => {
  /** A row of `first` and `second` tokens between three special ones. */
  const rowOf = (first, second) => {
    const sources = [-1, ...Array(first).fill(0), -1, ...Array(second).fill(1), -1];
    const ids = sources.map((_, i) => i);
    return { ids, tokens: ids, offsets: ids, typeIds: ids, sources, wordIds: ids };
  };
  // As the tokenizers library cuts: the first text gets the smaller half.
  const cases = [
    [4, 4, 20, 4, 4],
    [10, 30, 24, 10, 11],
    [30, 10, 24, 11, 10],
    [3, 30, 24, 3, 18],
    [30, 30, 24, 10, 11],
    [30, 30, 23, 10, 10],
    [31, 30, 24, 11, 10],
  ];
  for (const [first, second, room, keptFirst, keptSecond] of cases)
    test(`${first} and ${second} tokens in ${room}`, () => {
      const { sources, ids } = cutPair(rowOf(first, second), room);
      const count = (source) => sources.filter((one) => one === source).length;
      assert.deepEqual([count(0), count(1), count(-1)], [keptFirst, keptSecond, 3]);
      assert.ok(ids.length <= room);
      assert.deepEqual(ids.slice(0, keptFirst + 1), [...Array(keptFirst + 1).keys()]); // cut at the end
    });
});

describe('a reranker that says yes or no', () => {
  const given = readFamilyCase('qwen3_reranker');
  const { pairs, scores } = given.about;

  test('scores', () =>
    withModel(filesOf(given), async (model) => {
      for (const [i, [query, text]] of pairs.entries())
        assertScores(await model.rank(query, [text]), [text], [scores[i]]);
      const [first, second] = pairs;
      assertScores(
        await model.rank(first[0], [first[1], second[1]]),
        [first[1], second[1]],
        scores.slice(0, 2),
      );
    }));

  test('its own instruction, and long texts', () =>
    withModel(filesOf(given), async (model) => {
      const [[query, text]] = pairs;
      const [other] = await model.rank(query, [text], { instruction: 'Judge the style' });
      assert.ok(Math.abs(other.score - scores[0]) > 1e-4);
      const [cut] = await model.rank(query, [`${text} `.repeat(200)]);
      assert.ok(cut.score > 0 && cut.score < 1);
      await assert.rejects(model.rank(query, [text], { maxLength: 20 }), { code: 'invalid_argument' });
      await assert.rejects(model.rank(query, [text], { activation: 'none' }), {
        code: 'unsupported',
        message: /takes no activation/,
      });
    }));
});
