// Every call of Python's generate() with reference data: the same ids and scores.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { caseNames, generationInputs, optionsOf, readFamilyCase, tolerance } from '../lib/families.mjs';

/** Ids as Python returns them: padded on the left before prompts, on the right after results. */
function padded(result, ids, length, prompt, padId) {
  const front = Array(prompt - Math.min(prompt, result.inputIds.length)).fill(padId);
  const whole = [...front, ...ids];
  return [...whole, ...Array(Math.max(0, length - whole.length)).fill(padId)];
}

describe('generation', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  for (const name of caseNames) {
    const given = readFamilyCase(name);
    const { about } = given;
    if (!about.generation) continue;

    describe(name, () => {
      let model;
      before(async () => {
        model = await loadModel(given.files(), { engine });
      });
      after(() => model.dispose());

      for (const call of about.generation) {
        test(`${call.name} ${JSON.stringify(call.kwargs)}`, async () => {
          const prefix = about.generation_prompt && { prefix: about.generation_prompt };
          const inputs = generationInputs(given, call);
          const results = await model.generate(inputs, { ...optionsOf(call.kwargs), ...prefix });
          const found = results.flatMap((result) => result.sequences.map((one) => ({ ...one, result })));
          const prompt = about.generation_inputs ? about.generation_inputs.input_ids[0].length : 0;
          const ids = (expected) =>
            found.map((one, i) =>
              padded(one.result, one.ids, expected[i].length, prompt, call.effective.pad_token_id),
            );
          // Releases of the library end a beam search by two rules; either result will do.
          const other = ['newer', 'older'].find((rule) => call[`sequences_${rule}`]);
          const isOther = other && !isDeepEqual(ids(call.sequences), call.sequences);
          const expected = isOther ? call[`sequences_${other}`] : call.sequences;
          const scores = isOther ? call[`sequences_scores_${other}`] : call.sequences_scores;
          assert.deepEqual(ids(expected), expected);
          for (const [i, { score, tokenScores }] of found.entries()) {
            if (scores)
              assert.ok(Math.abs(score - scores[i]) <= tolerance.scores, `${score} for ${scores[i]}`);
            const logs = call.token_logprobs?.[i];
            if (!logs) continue;
            assert.equal(tokenScores.length, logs.length);
            for (const [j, log] of logs.entries())
              assert.ok(Math.abs(tokenScores[j] - log) <= tolerance.scores, `${tokenScores[j]} for ${log}`);
          }
        });
      }

      if (about.generation_inputs) {
        test('padded ids with a mask give the same as lists of ids', async () => {
          const { input_ids: inputIds, attention_mask: attentionMask } = about.generation_inputs;
          const options = { maxNewTokens: 12, numBeams: 1, repetitionPenalty: 1.4 };
          const lists = await model.generate(generationInputs(given, {}), options);
          const batch = await model.generate({ inputIds, attentionMask }, options);
          assert.deepEqual(batch, lists);
        });
      }

      test('streamed tokens equal those of the result', async () => {
        const [call] = about.generation;
        const prefix = about.generation_prompt && { prefix: about.generation_prompt };
        const options = { ...optionsOf(call.kwargs), ...prefix };
        const inputs = generationInputs(given, { batch_rows: '0' });
        if (!Array.isArray(inputs)) return;
        const streamed = [];
        for await (const { id } of model.stream(inputs[0], options)) streamed.push(id);
        const [{ sequences }] = await model.generate(inputs, options);
        assert.deepEqual(streamed, sequences[0].ids.slice(-streamed.length));
        assert.equal(streamed.length, sequences[0].tokenScores.length);
      });
    });
  }
});

function isDeepEqual(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
