// How far attention agrees with causes: what the page computes with the model, and how it says it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { agreement, loadModel } from 'transformer-wasm';
import { buildPage } from '../../scripts/serve.mjs';
import { bundleForNode } from './bundle.mjs';
import { built, tired, wide } from './site.mjs';

const near = (actual, expected, tolerance = 1e-9) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} against ${expected}`);

describe('agreement', () => {
  let code;
  before(async () => {
    code = await bundleForNode(
      ['agreement', 'needs', 'looks', 'reader', 'reading'].map((name) => `reading/${name}.ts`),
    );
  });

  test('says in a word what the number is, as it is rounded', () => {
    const { agreementWord } = code.agreement;
    assert.deepEqual([null, -0.5, 0.34, 0.349, 0.35, 0.7, 0.74, 0.76, 1].map(agreementWord), [
      ...['–', 'Hardly', 'Hardly', 'Hardly', 'Partly', 'Partly', 'Partly', 'Well', 'Well'],
    ]);
  });

  test('and as a number, where there is one', () => {
    const { agreementText } = code.agreement;
    assert.deepEqual([null, 0.634, -0.5, -0.01].map(agreementText), ['–', '0.6', '−0.5', '0.0']);
  });

  describe('of the model that the page ships', () => {
    let model;
    before(async () => {
      await buildPage();
      model = await loadModel(join(built, 'models/en-fr'));
    });

    test('“elle” needs “street” and “it”; the taught head, the others and their mean agree as far', async () => {
      const { needs, looks, reader } = code;
      const reading = await reader.read(model, wide);
      const word = reading.written.findIndex(({ label }) => label === 'elle');
      const losses = (await needs.needsOf(model, reading))[word];
      const needed = [...losses.keys()].filter((i) => losses[i] >= 0.01);
      assert.deepEqual(
        needed.sort((a, b) => losses[b] - losses[a]).map((i) => reading.source[i].label),
        ['street', 'it'],
      );
      for (const [look, expected] of [
        ['taught', 0.39],
        ['found', 0.4],
        ['mean', 0.4],
      ]) {
        const row = looks.rowOf(reading, { kind: 'cross', look, query: word });
        // In 8 bits, the variants of the engine round activations differently.
        near(agreement(row, losses), expected, 0.03);
      }
    });

    test('a loss is what masking one token takes from the word’s log-probability', async () => {
      const reading = await code.reader.read(model, tired, { off: ['cross.1.2'] });
      const losses = await code.needs.needsOf(model, reading);
      const logProbability = async (mask, place) => {
        const { logits } = await model.forward(
          {
            inputIds: [[...reading.inputIds]],
            decoderInputIds: [reading.ids.slice(0, -1)],
            attentionMask: [mask],
          },
          { heads: { 'decoder.layers.1.cross.2': 0 } },
        );
        const size = logits.shape[2];
        const scores = logits.data.subarray(place * size, (place + 1) * size);
        const sum = scores.reduce((all, score) => all + Math.exp(score), 0);
        return Math.log(Math.exp(scores[reading.ids[place + 1]]) / sum);
      };
      const all = reading.inputIds.map(() => 1);
      for (const [place, token] of [
        [1, 1],
        [10, 8],
      ]) {
        const without = all.map((_, i) => Number(i !== token));
        const loss = (await logProbability(all, place)) - (await logProbability(without, place));
        near(losses[place][token], loss, 0.02);
      }
      model.dispose();
    });
  });
});

describe('looks', () => {
  test('a head that is off belongs to none of them', async () => {
    const { looks } = await bundleForNode(['reading/looks.ts']);
    const map = {
      layers: 1,
      heads: 3,
      queries: [{}],
      keys: [{}, {}],
      isOff: (_, head) => head === 2,
      row: (_, head) =>
        Float32Array.from(
          [
            [1, 0],
            [0.5, 0.5],
            [0, 1],
          ][head],
        ),
    };
    const reading = { maps: { cross: map }, taught: { alignment: { kind: 'cross', layer: 0, head: 0 } } };
    const row = (look) => [...looks.rowOf(reading, { kind: 'cross', look, query: 0 })];
    assert.deepEqual(row('taught'), [1, 0]);
    assert.deepEqual(row('found'), [0.5, 0.5]);
    assert.deepEqual(row('mean'), [0.75, 0.25]);
    map.isOff = (_, head) => head === 0;
    assert.equal(looks.rowOf(reading, { kind: 'cross', look: 'taught', query: 0 }), null);
  });
});
