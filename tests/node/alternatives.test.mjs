// The most likely tokens at each place, and passes over every result.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { byteModel } from '../lib/byte_model.mjs';

let engine;
let model;
let translator;
before(async () => {
  engine = await createEngine({ threads: 2 });
  model = await loadModel(byteModel(), { engine });
  translator = await loadModel(byteModel({ encoder: 2 }), { engine });
});
after(async () => engine.dispose());

const prompt = Array.from({ length: 20 }, (_, i) => 10 + ((i * 37) % 200));
const writtenOf = ({ ids, tokenScores }) => ids.slice(ids.length - tokenScores.length);

/** The ids and log-probabilities of a row of logits, the best first. */
function rankedOf(row) {
  const greatest = row.reduce((most, x) => Math.max(most, x), Number.NEGATIVE_INFINITY);
  const sum = row.reduce((total, x) => total + Math.exp(x - greatest), 0);
  const all = Array.from(row, (x, id) => ({ id, logprob: x - greatest - Math.log(sum) }));
  return all.sort((a, b) => b.logprob - a.logprob);
}

describe('the most likely tokens', () => {
  test('are those of the logits of a pass', async () => {
    const { sequences } = await model.generate(prompt, { maxNewTokens: 12, topLogprobs: 5 });
    const [{ ids, tokens, tokenScores, topLogprobs }] = sequences;
    assert.equal(topLogprobs.length, tokenScores.length);
    const { logits } = await model.forward({ inputIds: [ids.slice(0, -1)] });
    const width = logits.shape.at(-1);
    for (const [place, top] of topLogprobs.entries()) {
      const from = (prompt.length - 1 + place) * width;
      const expected = rankedOf(logits.data.subarray(from, from + width)).slice(0, 5);
      assert.deepEqual(
        top.map(({ id }) => id),
        expected.map(({ id }) => id),
      );
      for (const [i, { logprob }] of top.entries()) assert.ok(Math.abs(logprob - expected[i].logprob) < 1e-4);
      // Greedy decoding takes the first.
      assert.deepEqual(top[0], {
        id: ids[prompt.length + place],
        token: tokens[place],
        logprob: tokenScores[place],
      });
    }
  });

  const kinds = {
    greedy: {},
    sampled: { doSample: true, temperature: 1.7, seed: 4, numReturnSequences: 3 },
    beams: { numBeams: 3, numReturnSequences: 3 },
    groups: { numBeams: 4, numBeamGroups: 2, diversityPenalty: 0.5, numReturnSequences: 2 },
    drafts: { promptLookupNumTokens: 4 },
    'a stop text': { stop: 'e', maxNewTokens: 40 },
    'rules for logits': { repetitionPenalty: 1.3, noRepeatNgramSize: 2 },
  };
  for (const [name, options] of Object.entries(kinds))
    test(`${name}: change nothing, and hold the chosen token with its score`, async () => {
      const settings = { maxNewTokens: 15, ...options };
      const { sequences } = await model.generate(prompt, { ...settings, topLogprobs: 256 });
      const plain = await model.generate(prompt, settings);
      assert.deepEqual(
        sequences.map(({ topLogprobs: _, ...rest }) => rest),
        plain.sequences,
      );
      for (const sequence of sequences) {
        assert.equal(sequence.topLogprobs.length, sequence.tokenScores.length);
        for (const [place, id] of writtenOf(sequence).entries()) {
          const top = sequence.topLogprobs[place];
          const scores = top.map(({ logprob }) => logprob);
          assert.deepEqual(
            scores,
            scores.toSorted((a, b) => b - a),
          );
          const own = top.find((one) => one.id === id);
          if (own) assert.equal(own.logprob, sequence.tokenScores[place]);
          else assert.ok(sequence.tokenScores[place] <= scores.at(-1));
        }
      }
    });

  test('streams, batches and calls at the same time have the same', async () => {
    const options = { maxNewTokens: 10, topLogprobs: 3 };
    const prompts = [prompt, prompt.slice(3), prompt.slice(0, 9)];
    const alone = [];
    for (const ids of prompts) alone.push((await model.generate(ids, options)).sequences);
    const batch = await model.generate(prompts, options);
    assert.deepEqual(
      batch.map(({ sequences }) => sequences),
      alone,
    );
    const streams = prompts.map(async (ids) => {
      const chunks = [];
      for await (const chunk of model.stream(ids, options)) chunks.push(chunk.topLogprobs);
      return chunks;
    });
    const mixed = await Promise.all([...streams, model.generate(prompt, options)]);
    assert.deepEqual(
      mixed.slice(0, 3),
      alone.map(([{ topLogprobs }]) => topLogprobs),
    );
    assert.deepEqual(mixed[3].sequences, alone[0]);
  });

  test('only tokens that may follow', async () => {
    const { sequences } = await model.generate(prompt, {
      constrain: { choices: ['abc', 'xyz'] },
      topLogprobs: 50,
    });
    const [{ topLogprobs }] = sequences;
    assert.deepEqual(new Set(topLogprobs[0].map(({ token }) => token)), new Set(['a', 'abc', 'x']));
    assert.equal(topLogprobs.at(-1).length, 1); // the end
    for (const wrong of [-1, 257, 1.5, '3'])
      await assert.rejects(model.generate(prompt, { topLogprobs: wrong }), { code: 'invalid_argument' });
    for await (const chunk of model.stream(prompt, { maxNewTokens: 2 })) assert.ok(!('topLogprobs' in chunk));
  });
});

describe('passes over every result', () => {
  test('have the attention of each, which is that of a pass over it alone', async () => {
    const options = { numBeams: 3, numReturnSequences: 3, maxNewTokens: 8 };
    const wanted = { outputAttentions: true, outputHiddenStates: true, trace: ['decoder.layers.0.output'] };
    for (const [one, input] of [
      [translator, 'one two three'],
      [model, prompt],
    ]) {
      const result = await one.generate(input, { ...options, ...wanted });
      assert.equal(new Set(result.sequences.map(({ ids }) => `${ids}`)).size, 3);
      for (const [i, sequence] of result.sequences.entries()) {
        const seen = result.passes[i];
        const ids = sequence.ids.slice(0, -1);
        const inputs =
          one === model ? { inputIds: [ids] } : { inputIds: [result.inputIds], decoderInputIds: [ids] };
        const pass = await one.forward(inputs, wanted);
        const [own, hidden] = [
          pass.decoderAttentions ?? pass.attentions,
          pass.decoderHiddenStates ?? pass.hiddenStates,
        ];
        assert.deepEqual(seen.decoderAttentions, own);
        assert.deepEqual(seen.crossAttentions, pass.crossAttentions);
        assert.deepEqual(seen.decoderHiddenStates, hidden);
        assert.deepEqual(seen.trace, pass.trace);
        assert.equal(seen.axes.written.length, ids.length);
      }
      const [{ decoderAttentions, axes }] = result.passes;
      assert.equal(result.decoderAttentions, decoderAttentions);
      assert.equal(result.axes, axes);
    }
  });
});
