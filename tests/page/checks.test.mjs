// What the views claim can be checked: numbers in maps, scores of examples, code that computes its picture, verdicts.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEngine, loadModel, Tensor } from 'transformer-wasm';
import { workedExamples } from '../lib/reference.mjs';
import { bundleForNode } from './bundle.mjs';

const styles = fileURLToPath(new URL('../../web/src', import.meta.url));
const models = fileURLToPath(new URL('../../web/public/models', import.meta.url));

describe('what the views claim', () => {
  let code;
  let engine;
  before(async () => {
    code = await bundleForNode([
      'reading/tokens.ts',
      'reading/figures.ts',
      'reading/needs.ts',
      'reading/reading.ts',
      'views/examples/compute.ts',
      'views/positions/codes.ts',
      'views/positions/schemes.ts',
      'views/positions/shuffled_words.ts',
      'views/attention/smallest.ts',
    ]);
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  test('no share is rounded up to all, or down to nothing', () => {
    const { percent } = code.tokens;
    assert.deepEqual([0, 0.0004, 0.0123, 0.62, 0.9962, 0.99996, 1].map(percent), [
      '0\u00a0%',
      '< 0.1\u00a0%',
      '1.2\u00a0%',
      '62\u00a0%',
      '99.6\u00a0%',
      '> 99.9\u00a0%',
      '100\u00a0%',
    ]);
    const { cellPercent } = code.figures;
    assert.deepEqual([0, 0.0049, 0.0051, 0.5, 1].map(cellPercent), ['', '', '1', '50', '100']);
  });

  test('a colour means one thing: only what is of a query, a key, a value, a pronoun wears its colour', async () => {
    const meanings = {
      query: /query/,
      key: /key/,
      value: /value|output/,
      il: /\.il\b/,
      elle: /\.elle\b/,
      needed: /needed/,
    };
    const sheets = (await readdir(styles, { recursive: true })).filter((name) => name.endsWith('.css'));
    let seen = 0;
    for (const sheet of sheets) {
      const css = (await readFile(join(styles, sheet), 'utf8')).replace(/\/\*.*?\*\//gs, '');
      for (const [, selector, body] of css.matchAll(/([^{}]+)\{([^{}]*)\}/g))
        for (const [, name] of body.matchAll(/var\(--(query|key|value|il|elle|needed)\)/g)) {
          seen++;
          assert.match(selector, meanings[name], `${sheet}: ${selector.trim()} wears --${name}`);
        }
    }
    assert.ok(seen > 15);
  });

  test('the page opens on a head that nobody taught: the last one', () => {
    const map = { layers: 2, heads: 4 };
    const maps = { encoder: map, decoder: map, cross: map };
    assert.deepEqual(code.reading.chosenHead({ maps }, null), { kind: 'cross', layer: 1, head: 3 });
    const gone = { kind: 'cross', layer: 1, head: 4 };
    assert.deepEqual(code.reading.chosenHead({ maps }, gone), { kind: 'cross', layer: 1, head: 3 });
  });

  test('weights are compared with what their own query needed', () => {
    const { comparedWith, chosenSource } = code.needs;
    const weights = [
      [0.9, 0.1],
      [0.2, 0.8],
    ];
    const cross = {
      layers: 1,
      heads: 1,
      queries: [{}, {}],
      keys: [{}, {}],
      isOff: () => false,
      row: (_layer, _head, query) => Float32Array.from(weights[query]),
    };
    const written = [{ label: 'le' }, { label: 'chat' }];
    const reading = { stacks: 'both', isRecurrent: false, maps: { cross }, taught: {}, written };
    const needs = [
      [3, 0],
      [0, 5],
    ];
    const of = (kind, query, known = needs) =>
      comparedWith(reading, known, { kind, query, selection: { look: 'mean', word: 1 } });
    assert.deepEqual([of('cross', 0), of('cross', 1)], needs);
    // “chat” looked at the second word most: only that one is compared with what “chat” needed.
    assert.equal(chosenSource(reading, { look: 'mean', word: 1 }), 1);
    assert.deepEqual([of('encoder', 0), of('encoder', 1)], [null, needs[1]]);
    assert.deepEqual([of('decoder', 1), of('cross', 1, null)], [null, 'pending']);
    assert.equal(comparedWith({ ...reading, isRecurrent: true }, needs, { kind: 'cross', query: 0 }), null);
  });

  test('an example has its scores, whose softmax its weights are; what is hidden is −∞', async () => {
    const { examples } = code.examples;
    for (const name of ['four_inputs_seed25', 'three_tokens_causal']) {
      const parts = await examples[name].compute(engine);
      const of = (wanted) => parts.find((part) => part.name === wanted).tensor;
      const { data } = await engine.softmax(of('scores'));
      for (const [i, weight] of of('weights').data.entries())
        assert.ok(Math.abs(data[i] - weight) < 1e-6, `${name}, ${i}`);
      const hidden = [...of('scores').data].filter((score) => score === Number.NEGATIVE_INFINITY).length;
      const mask = workedExamples()[name].mask ?? [[]];
      assert.equal(hidden, mask.flat().filter((seen) => seen === 0).length);
    }
  });

  test('the code beside a position scheme computes what is drawn', async () => {
    const digits = await loadModel(join(models, 'digits'), { engine });
    const run = Object.getPrototypeOf(async () => {}).constructor;
    for (const [name, { ours }] of Object.entries(code.codes.codes)) {
      const made = await new run('engine', 'digits', `${ours}\nreturn positions;`)(engine, digits);
      const tensor = made instanceof Tensor ? made : Tensor.from(made);
      const { matrix } = await code.schemes.schemeOf(engine, name, { head: 0, digits: async () => digits });
      for (const [i, value] of matrix.data.entries())
        if (!(Math.abs(tensor.data[i] - value) < 1e-4))
          assert.fail(`${name}, ${i}: ${tensor.data[i]} and ${value}`);
    }
    await digits.dispose();
  });

  test('the sentence under the shuffled words is that of their distances', () => {
    const { saidOf } = code.shuffled_words;
    const still = saidOf({ withPositions: [0, 5, 0.2], without: [0, 1e-6, 0.0004] }, 'Le chat');
    assert.match(still, /each word gets what it got before.* 2 of 3 get another output.*“Le chat”/);
    assert.match(saidOf({ withPositions: [1], without: [0.3] }, ''), /^Without positions, 1 of 1 tokens get/);
  });

  test('the classifier tells praise from blame; its bag of words cannot', async () => {
    const { verdictOf, praise, blame } = code.smallest;
    const classifier = JSON.parse(await readFile(join(models, 'smallest/smallest.json'), 'utf8'));
    const verdict = (text, reads) => verdictOf(engine, classifier, text, reads);
    assert.ok((await verdict(praise, 'attention')) > 0.9);
    assert.ok((await verdict(blame, 'attention')) < 0.1);
    const bags = [await verdict(praise, 'bag'), await verdict(blame, 'bag')];
    assert.ok(Math.abs(bags[0] - bags[1]) < 1e-5, `${bags}`);
  });
});
