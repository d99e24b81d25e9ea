// The older Falcon, whose reference numbers were computed by eager attention in transformers 5.10, which adds ALiBi twice: to the
// scores, and again with the mask. A twin in float64 gives those numbers with ALiBi twice, and ours with ALiBi once.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { alibiTwin } from '../lib/alibi_twin.mjs';
import { assertNear, json, tolerance } from '../lib/families.mjs';
import { widened } from '../lib/halves.mjs';
import { readSafetensors } from '../lib/safetensors.mjs';

const read = (name) => readFileSync(new URL(`../fixtures/falcon_rw_style/${name}`, import.meta.url));
const config = JSON.parse(read('config.json'));
const expected = readSafetensors(read('expected.safetensors'));
const weights = widened(readSafetensors(read('model.safetensors')));
const files = (name) =>
  new Map([
    ['config.json', json(JSON.parse(read(name)))],
    ['model.safetensors', read('model.safetensors')],
  ]);

/** x times the normal distribution up to x, by its series, whose terms are all positive. */
function gelu(x) {
  let sum = 0;
  for (let term = x, n = 1; sum + term !== sum; n += 2) {
    sum += term;
    term *= (x * x) / (n + 2);
  }
  return x * (0.5 + (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * sum);
}

/** Logits with ALiBi so many times. */
function twin(ids, times) {
  const { hidden_size: width, num_hidden_layers: layers, layer_norm_epsilon: eps } = config;
  const scale = times / Math.sqrt(width / config.num_attention_heads);
  const slopes = [2 ** -2, 2 ** -4, 2 ** -6, 2 ** -8].map((slope) => scale * slope);
  return alibiTwin(weights, { width, layers, eps }, { slopes, activation: gelu })(ids);
}

/** The tokens of a text, without its padding, and its logits in `stored`. */
function textOf(row, stored = expected.get('logits')) {
  const [ids, mask] = ['input_ids', 'attention_mask'].map((name) => expected.get(name));
  const [, time, vocab] = stored.shape;
  const length = mask.data.slice(row * time, (row + 1) * time).reduce((sum, one) => sum + one, 0);
  const begin = row * time * vocab;
  return {
    ids: Array.from(ids.data.slice(row * time, row * time + length)),
    logits: { data: stored.data.slice(begin, begin + length * vocab), shape: [1, length, vocab] },
  };
}

describe('Falcon with ALiBi', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  for (const row of [0, 1, 2]) {
    test(`text ${row}: the reference has ALiBi twice`, () => {
      const { ids, logits } = textOf(row);
      assertNear(twin(ids, 2), logits, 'twice', tolerance.states);
      assert.throws(() => assertNear(twin(ids, 1), logits, 'once', 0.01), /differs/);
    });
  }

  for (const name of ['config.json', 'config_hub.json']) {
    test(`${name}: ours has it once`, async () => {
      const model = await loadModel(files(name), { engine });
      assert.deepEqual(model.info.unusedTensors, []);
      for (const row of [0, 1, 2]) {
        const { ids, logits } = textOf(row);
        const once = twin(ids, 1);
        const ours = (await model.forward({ inputIds: [ids] })).logits;
        assertNear(ours, once, `text ${row}`, tolerance.states);
        // The first token sees only itself, at the distance 0.
        const vocab = logits.shape[2];
        const first = ({ data }) => ({ data: data.slice(0, vocab), shape: [1, vocab] });
        assertNear(first(ours), first(logits), `first token of text ${row}`, tolerance.states);
      }
      await model.dispose();
    });
  }

  test('padding on the left changes nothing, nor does generating with a cache', async () => {
    const model = await loadModel(files('config.json'), { engine });
    const [inputIds, attentionMask] = ['input_ids', 'attention_mask'].map((name) =>
      expected.get(`${name}_left_padded`),
    );
    const { logits } = await model.forward({ inputIds, attentionMask });
    const [, time, vocab] = logits.shape;
    for (const row of [0, 1, 2]) {
      const { ids } = textOf(row);
      const once = twin(ids, 1);
      const end = (row + 1) * time * vocab;
      const data = logits.data.slice(end - ids.length * vocab, end);
      assertNear({ data, shape: once.shape }, once, `text ${row}`, tolerance.states);
      const [{ sequences }] = await model.generate([ids], { maxNewTokens: 3, numBeams: 1, doSample: false });
      const last = twin(sequences[0].ids.slice(0, -1), 1).data.slice(-vocab);
      assert.equal(last.indexOf(Math.max(...last)), sequences[0].ids.at(-1));
    }
    await model.dispose();
  });
});
