// Rules of Python's generate() beyond the usual ones, on the models of other cases: the same ids and scores.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { generationInputs, optionsOf, readFamilyCase, tolerance } from '../lib/families.mjs';

const file = new URL('../fixtures/reference/generation_extras/expected.json', import.meta.url);
const about = JSON.parse(readFileSync(file));

/** Python's `prefix_allowed_tokens_fn` of the case: allows what continues one of the sequences, else the end token. */
function follow(sequences, promptLength, eos) {
  return (_, ids) => {
    const written = ids.slice(promptLength);
    const fitting = sequences.filter((one) => written.every((id, i) => one[i] === id));
    const next = [...new Set(fitting.map((one) => one[written.length]))].filter((id) => id !== undefined);
    return next.length > 0 ? next : [eos];
  };
}

describe('generation extras', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  for (const name of new Set(about.generation.map(({ model }) => model))) {
    const given = readFamilyCase(name);
    const prompts = given.about.generation_inputs?.input_ids;

    describe(name, () => {
      let model;
      before(async () => {
        model = await loadModel(given.files(), { engine });
      });
      after(() => model.dispose());

      for (const call of about.generation.filter((one) => one.model === name)) {
        test(call.name, async () => {
          const { trie, ...kwargs } = call.kwargs;
          const promptLength = prompts ? prompts[0].length : 1;
          const allowed = trie && { prefixAllowedTokens: follow(trie, promptLength, trie[0].at(-1)) };
          const options = { ...optionsOf(kwargs), ...allowed };
          const results = await model.generate(generationInputs(given, {}), options);
          const found = results.flatMap(({ sequences, inputIds }) =>
            sequences.map((one) => ({ ...one, inputIds })),
          );
          for (const [i, { ids, inputIds, score }] of found.entries()) {
            const expected = call.sequences[i];
            const front = prompts ? promptLength - inputIds.length : 0;
            assert.deepEqual(ids, expected.slice(front, front + ids.length), `sequence ${i}`);
            const [pad] = new Set(expected.slice(front + ids.length));
            assert.ok(new Set(expected.slice(front + ids.length)).size <= 1, `padding with ${pad}`);
            const wanted = call.sequences_scores?.[i];
            if (wanted !== undefined)
              assert.ok(Math.abs(score - wanted) <= tolerance.scores, `${score} for ${wanted}`);
          }
          assert.equal(found.length, call.sequences.length);
        });
      }
    });
  }

  describe('a function that allows tokens', () => {
    let model;
    before(async () => {
      model = await loadModel(readFamilyCase('bart').files(), { engine });
    });
    after(() => model.dispose());

    test('is asked for each input by its place, whatever batch it is in', async () => {
      const inputs = [
        [0, 5, 6, 7, 8, 9, 2],
        [0, 5, 2],
        [0, 5, 6, 7, 2],
      ];
      const prefixAllowedTokens = (place) => [10 + place];
      const results = await model.generate(inputs, {
        maxNewTokens: 4,
        prefixAllowedTokens,
        forcedEosTokenId: 2,
      });
      const firsts = results.map(({ sequences: [{ ids }] }) => ids[2]);
      assert.deepEqual(firsts, [10, 11, 12]);
    });

    test('works while streaming', async () => {
      const streamed = [];
      const options = { maxNewTokens: 5, prefixAllowedTokens: () => [17] };
      for await (const { id } of model.stream([0, 5, 6, 2], options)) streamed.push(id);
      assert.ok(streamed.slice(1, -1).every((id) => id === 17));
    });

    for (const [what, value] of [
      ['nothing', undefined],
      ['no id', []],
      ['a text', 'x'],
      ['an id outside of the vocabulary', [100_000]],
    ])
      test(`that returns ${what} is refused, and the engine goes on`, async () => {
        const wrong = model.generate([0, 5, 2], { prefixAllowedTokens: () => value });
        await assert.rejects(wrong, { code: 'invalid_argument' });
        await model.generate([0, 5, 2], { maxNewTokens: 2 });
      });

    test('whose error is thrown as it is', async () => {
      const wrong = model.generate([0, 5, 2], {
        prefixAllowedTokens: () => {
          throw new RangeError('mine');
        },
      });
      await assert.rejects(wrong, RangeError);
    });
  });

  describe('beams that sample', () => {
    let model;
    before(async () => {
      model = await loadModel(readFamilyCase('bart').files(), { engine });
    });
    after(() => model.dispose());

    test('give the same for the same seed, and other results for others', async () => {
      const at = async (seed) => {
        const options = { numBeams: 3, doSample: true, temperature: 3, topK: 0, maxNewTokens: 12, seed };
        return (await model.generate([0, 5, 6, 7, 2], options)).sequences[0].ids.join();
      };
      assert.equal(await at(1), await at(1));
      const all = new Set();
      for (let seed = 0; seed < 8; seed++) all.add(await at(seed));
      assert.ok(all.size > 2, `${all.size} different results of 8`);
    });

    test('nearly never leave the best path at a low temperature', async () => {
      const options = { numBeams: 3, maxNewTokens: 12, topK: 0 };
      const sampled = await model.generate([0, 5, 6, 7, 2], {
        ...options,
        doSample: true,
        temperature: 1e-3,
      });
      const searched = await model.generate([0, 5, 6, 7, 2], { ...options, numBeams: 1, doSample: false });
      assert.deepEqual(sampled.sequences[0].ids, searched.sequences[0].ids);
    });
  });
});
