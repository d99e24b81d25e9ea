// The model of 278 numbers that adds: sums with carries of all kinds, where it looks, and what breaks it.

import assert from 'node:assert/strict';
import { openAsBlob, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { added, wrongPairs } from '../../scripts/train/adder/evaluate.mjs';
import {
  batchOf,
  digitsOf,
  edgePairs,
  randomIntegers,
  randomPair,
  sumOf,
} from '../../scripts/train/adder/task.mjs';
import { variants } from '../lib/variants.mjs';

const file = (name) => new URL(`../../web/public/models/adder/${name}`, import.meta.url);
const config = JSON.parse(readFileSync(file('config.json'), 'utf8'));

/** The model with other settings. */
const filesWith = async (changes = {}) =>
  new Map([
    ['config.json', new Blob([JSON.stringify({ ...config, ...changes })])],
    ['model.safetensors', await openAsBlob(file('model.safetensors'))],
  ]);

const numberOf = (digits) => BigInt(digits.toReversed().join(''));
const random = randomIntegers(77);
const randomPairs = (count) => Array.from({ length: count }, () => randomPair(random));
/** A part of them in each test: all are counted by scripts/train/adder/evaluate.mjs. */
const edges = edgePairs();

test('the edges have every pair of digits at every place, with and without a carry, and every chain', () => {
  const seen = new Set();
  const chains = new Set();
  for (const [a, b] of edges) {
    assert.equal(numberOf(a) + numberOf(b), numberOf(sumOf(a, b)));
    let carry = 0;
    let chain = 0;
    for (let place = 0; place < 10; place++) {
      seen.add(`${place} ${a[place]} ${b[place]} ${carry}`);
      const sum = a[place] + b[place];
      chain = carry && sum === 9 ? chain + 1 : 0;
      chains.add(chain);
      carry = sum + carry > 9 ? 1 : 0;
    }
  }
  assert.equal(seen.size, 100 + 9 * 200);
  assert.deepEqual([...chains].sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

for (const options of variants) {
  describe(`the adder, ${options.simd} with ${options.threads} thread(s)`, () => {
    let engine;
    let model;
    before(async () => {
      engine = await createEngine(options);
      model = await loadModel(await filesWith(), { engine });
    });
    after(() => engine.dispose());

    test('adds', async () => {
      const pairs = [...edges.filter((_, i) => i % 29 === 0), ...randomPairs(60)];
      const known = [
        [9999999999, 1],
        [9999999999, 9999999999],
        [5555555555, 4444444445],
        [0, 0],
      ];
      pairs.push(...known.map((pair) => pair.map((number) => digitsOf(number).slice(0, 10))));
      assert.deepEqual(await wrongPairs(model, pairs), []);
      const [sum] = await added(model, pairs.slice(-4));
      assert.deepEqual(sum, digitsOf(10000000000));
    });

    test('each head looks most at the two digits that are added, in every step', async () => {
      const { inputs } = batchOf(randomPairs(20));
      const { trace } = await model.forward({ inputIds: inputs }, { trace: ['*.*.*.*.weights'] });
      const { data, shape } = trace['decoder.layers.0.self_attn.weights'];
      const [, heads, tokens] = shape;
      for (let row = 0; row < inputs.length * heads; row++)
        for (let place = 0; place < 11; place++) {
          const begin = (row * tokens + 23 + place) * tokens;
          const weights = Array.from(data.subarray(begin, begin + tokens), (weight, at) => ({ weight, at }));
          const most = weights.sort((one, other) => other.weight - one.weight).slice(0, 2);
          assert.deepEqual(
            most.map(({ at }) => at).sort((one, other) => one - other),
            [place, 12 + place],
          );
        }
    });
  });
}

describe('what breaks the adder', () => {
  const pairs = randomPairs(60);
  let engine;
  before(async () => {
    engine = await createEngine();
  });
  after(() => engine.dispose());
  const share = async (changes, options) => {
    const model = await loadModel(await filesWith(changes), { engine, ...options });
    const wrong = await wrongPairs(model, pairs);
    await model.dispose();
    return (pairs.length - wrong.length) / pairs.length;
  };

  test('a base that is a hundredth off spoils some sums, another base all', async () => {
    const near = await share({ rope_theta: 3.01 });
    assert.ok(near > 0.6 && near < 0.95, `${near}`);
    for (const base of [2, 10_000]) assert.equal(await share({ rope_theta: base }), 0);
  });

  test('8 bits are enough, 4 are not', async () => {
    assert.equal(await share({}, { dtype: 'int8' }), 1);
    assert.equal(await share({}, { dtype: 'int4' }), 0);
  });
});
