// Why a model does what it does: edits, attributions and sweeps, held against a twin in plain loops and against models whose
// mechanism is known.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { agreement, attribute, createEngine, loadModel, sweep } from '../../dist/index.js';
import { createTrainer } from '../../dist/train.js';
import { readFamilyCase } from '../lib/families.mjs';
import { dot, Gpt2Twin, plus } from '../lib/gpt2_twin.mjs';
import { randomNumbers } from '../lib/random.mjs';

const close = (actual, expected, tolerance, what) =>
  assert.ok(
    Math.abs(actual - expected) <= tolerance * Math.max(1, Math.abs(expected)),
    `${what}: ${actual} instead of ${expected}`,
  );
const total = (parts) => parts.reduce((sum, { value }) => sum + value, 0);

/** GPT-2's shape with weights large enough that heads look somewhere. */
function randomGpt2() {
  const { uniform: random } = randomNumbers(5);
  const seen = new Map();
  const own = readFamilyCase('gpt2');
  const files = own.changed({
    tensors: (weights) => {
      for (const [name, tensor] of weights) {
        const isNorm = /ln_\w+\.weight$/.test(name);
        const width = /c_\w+\.weight$/.test(name) ? 1.2 / Math.sqrt(tensor.shape[0]) : 0.4;
        const data = Float32Array.from(tensor.data, () => (isNorm ? 1 : 0) + width * (2 * random() - 1));
        seen.set(name, { ...tensor, data });
      }
      return seen;
    },
  });
  return { files, twin: new Gpt2Twin(seen, own.config) };
}

const ids = [17, 3, 88, 42, 9, 61];

describe('beside a twin of GPT-2 in double precision', () => {
  let engine;
  let model;
  let twin;
  before(async () => {
    engine = await createEngine({ threads: 1 });
    const made = randomGpt2();
    twin = made.twin;
    model = await loadModel(made.files, { engine });
  });
  after(() => engine.dispose());

  const assertLogits = (logits, expected, what) => {
    const vocab = logits.shape[2];
    expected.flat().forEach((value, i) => {
      close(logits.data[i], value, 1e-5, `${what} [${Math.floor(i / vocab)}, ${i % vocab}]`);
    });
  };

  test('every tensor that a pass offers is the twin’s, and every kind of edit has the twin’s logits', async () => {
    const { tensors, logits } = twin.run(ids);
    const plain = await model.forward({ inputIds: [ids] }, { trace: Object.keys(tensors) });
    assertLogits(plain.logits, logits, 'without edits');
    for (const [path, expected] of Object.entries(tensors)) {
      const { data } = plain.trace[path];
      expected.flat(2).forEach((value, i) => {
        if (value === -Infinity) assert.equal(data[i], value);
        else close(data[i], value, 1e-5, `${path}[${i}]`);
      });
    }
    // Of scores and weights one number; of the others a row, since a norm makes noise of numbers that are all alike.
    const kinds = { set: (_, by) => by, add: (x, by) => x + by, scale: (x, by) => x * by };
    for (const [path, expected] of Object.entries(tensors)) {
      const isMap = /\.(scores|weights)$/.test(path);
      const heads = isMap || /\.(queries|keys|values)$/.test(path) ? [1, 2] : undefined;
      const width = isMap ? 1 : heads ? 8 : expected[0].length;
      const by = Array.from({ length: width }, (_, i) => 0.3 * Math.cos(i));
      for (const [kind, change] of Object.entries(kinds)) {
        const edit = { at: path, positions: [1, 4], [kind]: by, ...(heads && { heads }) };
        const edited = await model.forward({ inputIds: [ids] }, { edits: [edit] });
        const wanted = twin.run(ids, (at, x) => {
          if (at !== path) return;
          for (const t of edit.positions) {
            for (const head of heads ?? [0]) {
              const row = isMap ? x[head][t] : x[t];
              const first = isMap || !heads ? 0 : 8 * head;
              const end = isMap ? row.length : first + width;
              for (let i = first; i < end; i++) row[i] = change(row[i], by[(i - first) % width]);
            }
          }
        });
        assertLogits(edited.logits, wanted.logits, `${kind} ${path}`);
      }
    }
  });

  test('what is copied from another run is the twin’s', async () => {
    const others = [5, 70, 88, 1, 9, 30];
    const at = 'decoder.layers.0.residual';
    const from = await model.forward({ inputIds: [others] }, { trace: [at] });
    const edited = await model.forward({ inputIds: [ids] }, { edits: [{ at, positions: [3], from }] });
    const there = twin.run(others).tensors['decoder.layers.0.output'];
    const wanted = twin.run(ids, (path, x) => {
      if (path === 'decoder.layers.0.output') x[3] = there[3];
    });
    assertLogits(edited.logits, wanted.logits, 'patched');

    // The same for all layers and positions, in one call.
    const measure = { position: 5, token: 7, against: 12 };
    const reports = [];
    const swept = await sweep(
      model,
      { inputIds: [ids] },
      {
        from: { inputIds: [others] },
        at: 'decoder.layers.*.residual',
        measure,
        onProgress: (progress) => reports.push(progress),
      },
    );
    assert.deepEqual(swept.paths, ['decoder.layers.0.residual', 'decoder.layers.1.residual']);
    assert.deepEqual(swept.effects.shape, [2, ids.length]);
    assert.deepEqual(reports.at(-1), { done: 12, total: 12 });
    const measured = ({ logits }) => logits[5][7] - logits[5][12];
    const base = measured(twin.run(ids));
    close(swept.base, base, 1e-5, 'base');
    close(swept.other, measured(twin.run(others)), 1e-5, 'other');
    for (const layer of [0, 1]) {
      const path = `decoder.layers.${layer}.output`;
      const theirs = twin.run(others).tensors[path];
      ids.forEach((_, t) => {
        const patched = twin.run(ids, (one, x) => {
          if (one === path) x[t] = theirs[t];
        });
        close(swept.effects.data[layer * ids.length + t], measured(patched) - base, 1e-5, `${path} at ${t}`);
      });
    }
    assert.ok(Math.abs(swept.effects.data[11] - (swept.other - swept.base)) < 1e-5, 'the last state decides');
    const byHead = await sweep(
      model,
      { inputIds: [ids] },
      {
        from: { inputIds: [others] },
        at: 'decoder.layers.0.self.values',
        heads: [0, 3],
        positions: [1, 3],
        measure: { position: 5, token: 7 },
      },
    );
    assert.deepEqual(byHead.effects.shape, [1, 2, 2]);
    assert.ok(byHead.base < 0, 'a log-probability');
    assert.equal(byHead.effects.data.filter((effect) => effect !== 0).length, 4);
  });

  test('a sweep patches single cells of an attention, by its weights and by its scores', async () => {
    const others = [17, 3, 5, 42, 9, 61];
    const measure = { position: 5, token: 7, against: 12 };
    const measured = ({ logits }) => logits[5][7] - logits[5][12];
    const base = measured(twin.run(ids));
    const there = twin.run(others).tensors;
    const [heads, positions, keys] = [
      [1, 2],
      [3, 5],
      [0, 2, 5],
    ];
    for (const name of ['weights', 'scores']) {
      const path = `decoder.layers.1.self_attn.${name}`;
      const options = { from: { inputIds: [others] }, at: `decoder.layers.1.self.${name}`, measure };
      const swept = (more) => sweep(model, { inputIds: [ids] }, { ...options, positions, keys, ...more });
      const patched = (chosen, query, key) =>
        measured(
          twin.run(ids, (one, x) => {
            if (one === path) for (const head of chosen) x[head][query][key] = there[path][head][query][key];
          }),
        ) - base;
      const { effects, ...axes } = await swept({ heads });
      assert.deepEqual([axes.heads, axes.keys, effects.shape], [heads, keys, [1, 2, 2, 3]]);
      const expected = heads.flatMap((head) =>
        positions.flatMap((query) => keys.map((key) => patched([head], query, key))),
      );
      for (const [i, effect] of effects.data.entries()) close(effect, expected[i], 1e-5, `${name} ${i}`);
      assert.ok(expected.filter((effect) => Math.abs(effect) > 1e-3).length > 3, `${expected}`);
      // A key that the mask hides stays hidden.
      assert.equal(effects.data[2], 0);
      const together = await swept({});
      assert.deepEqual(together.effects.shape, [1, 2, 3]);
      close(together.effects.data[4], patched([0, 1, 2, 3], 5, 2), 1e-5, `${name} of all heads`);
    }
  });

  test('the parts of a score are the twin’s, for queries, keys and pairs of both', async () => {
    const { tensors } = twin.run(ids);
    for (const [layer, head, query, key] of [
      [0, 1, 3, 2],
      [1, 2, 5, 0],
      [1, 3, 4, 4],
    ]) {
      const found = await attribute(model, { inputIds: [ids] }, { layer, head, query, key });
      const at = `layer ${layer}, head ${head}`;
      const score = tensors[`decoder.layers.${layer}.self_attn.scores`][head][query][key];
      close(found.value, score, 1e-5, at);
      close(total(found.parts), score, 1e-5, `${at}: the sum of the parts`);
      close(total(found.queryParts), score, 1e-5, `${at}: of the query’s`);
      const q = twin.projected(tensors, { layer, head, position: query, part: 0 });
      const k = twin.projected(tensors, { layer, head, position: key, part: 1 });
      assert.deepEqual(found.parts.map(({ source }) => source).sort(), Object.keys(k).sort());
      const product = (a, b) => dot(a, b) / Math.sqrt(twin.width);
      const [wholeQuery, wholeKey] = [q, k].map((parts) => plus(...Object.values(parts)));
      for (const { source, value } of found.parts)
        close(value, product(wholeQuery, k[source]), 1e-5, `${at}: key, ${source}`);
      for (const { source, value } of found.queryParts)
        close(value, product(q[source], wholeKey), 1e-5, `${at}: query, ${source}`);
      found.queryParts.forEach((one, i) => {
        found.parts.forEach((other, j) => {
          const value = found.pairs.data[i * found.parts.length + j];
          close(
            value,
            product(q[one.source], k[other.source]),
            1e-5,
            `${at}: ${one.source} x ${other.source}`,
          );
        });
      });
    }
  });

  test('the parts of a logit are the twin’s, and those of a difference too', async () => {
    const { tensors, logits } = twin.run(ids);
    const [token, against] = [7, 12];
    const found = await attribute(model, { inputIds: [ids] }, { position: 4, token });
    const [own, other] = [token, against].map((id) => twin.logitParts(tensors, 4, id));
    close(found.value, logits[4][token], 1e-5, 'the logit');
    close(total(found.parts), logits[4][token], 1e-5, 'the sum of the parts');
    assert.equal(found.parts.length, Object.keys(own).length);
    for (const { source, value } of found.parts) close(value, own[source], 1e-5, source);
    const difference = await attribute(model, { inputIds: [ids] }, { position: 4, token, against });
    for (const { source, value } of difference.parts) close(value, own[source] - other[source], 1e-5, source);
  });
});

describe('of every family', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  const first = (tensor) => [Array.from(tensor.data.slice(0, tensor.shape[1]))];

  /** Post-norm, pre-norm, parallel, norms of branches, of queries and keys; positions of every kind; two stacks. */
  for (const name of ['bart', 't5_v1_1', 'm2m100', 'blenderbot', 'bert', 'modernbert', 'albert'].concat([
    'llama',
    'qwen3',
    'olmo2',
    'bloom',
    'gpt_neox',
    'gptj',
    'mpt',
    'cohere',
    'granite',
    'opt',
  ]))
    test(`${name}: the parts of scores and of logits sum to what the pass has`, async (t) => {
      const own = readFamilyCase(name);
      const model = await loadModel(own.files(), { engine });
      const inputs = Object.fromEntries(
        ['inputIds', 'decoderInputIds'].flatMap((key) =>
          own.inputs[key] ? [[key, first(own.inputs[key])]] : [],
        ),
      );
      const hasBoth = 'decoderInputIds' in inputs;
      const isEncoder = hasBoth || (await model.forward(inputs)).logits === undefined || /bert/.test(name);
      const asked = hasBoth
        ? [
            { kind: 'encoder', layer: 1, head: 1, query: 2, key: 1 },
            { kind: 'cross', layer: 1, head: 0, query: 1, key: 2 },
            { kind: 'decoder', layer: 1, head: 1, query: 1, key: 0 },
          ]
        : [{ kind: isEncoder ? 'encoder' : 'decoder', layer: 1, head: 1, query: 2, key: 1 }];
      for (const question of asked) {
        const found = await attribute(model, inputs, question);
        const size = Math.max(1, ...found.parts.map(({ value }) => Math.abs(value)));
        assert.ok(Math.abs(found.rounding) <= 1e-5 * size, `${question.kind}: ${found.rounding} of ${size}`);
        close(total(found.parts) + found.rounding, found.value, 1e-6, question.kind);
        close(total(found.queryParts), found.value, 1e-5 * size, `${question.kind}: query`);
        assert.ok(
          found.parts.filter(({ value }) => Math.abs(value) > 1e-7 * size).length >= 3,
          'several sources',
        );
      }
      if (!isEncoder || hasBoth) {
        const found = await attribute(model, inputs, { position: 2, token: 5, against: 6 });
        const size = Math.max(1, ...found.parts.map(({ value }) => Math.abs(value)));
        assert.ok(Math.abs(found.rounding) <= 1e-5 * size, `logit: ${found.rounding} of ${size}`);
        if (hasBoth)
          assert.ok(found.parts.some(({ source }) => /^decoder\.layers\.1\.cross\.\d$/.test(source)));
      }
      t.diagnostic(`${asked.length} scores`);
      await model.dispose();
    });

  test('what is no sum, and no question, is refused by name', async () => {
    const refusals = [
      ['deberta_v2', { kind: 'encoder', layer: 0, head: 0, query: 0, key: 0 }, 'unsupported', /disentangled/],
      ['gemma2', { layer: 0, head: 0, query: 0, key: 0 }, 'unsupported', /capped scores/],
      ['gemma2', { position: 0, token: 1 }, 'unsupported', /capped logits/],
      ['bert', { position: 0, token: 1 }, 'unsupported', /head before the logits|no logits/],
      [
        'gpt2',
        { layer: 0, head: 0, query: 0, key: 1 },
        'invalid_argument',
        /query 0 may not attend to key 1/,
      ],
      ['gpt2', { layer: 9, head: 0, query: 0, key: 0 }, 'invalid_argument', /no tensor matches/],
      ['gpt2', { layer: 0, head: 9, query: 0, key: 0 }, 'invalid_argument', /no head 9/],
      ['gpt2', { layer: 0, head: 0, query: 0 }, 'invalid_argument', /key is missing/],
      [
        'gpt2',
        { kind: 'cross', layer: 0, head: 0, query: 0, key: 0 },
        'invalid_argument',
        /no cross-attention/,
      ],
      ['gpt2', { kind: 'encoder', layer: 0, head: 0, query: 0, key: 0 }, 'invalid_argument', /no encoder/],
      ['gpt2', { position: 0, token: 1, layer: 1 }, 'invalid_argument', /layer does not go with/],
      ['gpt2', { position: 99, token: 1 }, 'invalid_argument', /no position 99/],
      ['gpt2', { position: 0, token: 1e6 }, 'invalid_argument', /no token 1000000/],
    ];
    for (const [name, question, code, message] of refusals) {
      const own = readFamilyCase(name);
      const model = await loadModel(own.files(), { engine });
      const inputs = { inputIds: first(own.inputs.inputIds) };
      await assert.rejects(attribute(model, inputs, question), { code, message }, name);
      await model.dispose();
    }
    const own = readFamilyCase('gpt2');
    const model = await loadModel(own.files(), { engine });
    const question = { layer: 0, head: 0, query: 0, key: 0 };
    const invalid = { code: 'invalid_argument' };
    await assert.rejects(
      attribute(
        model,
        {
          inputIds: [
            [1, 2],
            [3, 4],
          ],
        },
        question,
      ),
      invalid,
    );
    await assert.rejects(
      attribute(model, { inputIds: [[1, 2]], attentionMask: [[1, 0]] }, question),
      invalid,
    );
    await assert.rejects(attribute({}, { inputIds: [[1, 2]] }, question), invalid);
    const at = 'decoder.layers.*.residual';
    const from = { inputIds: [[4, 5]] };
    const measure = { position: 1, token: 3 };
    const swept = (options) => sweep(model, { inputIds: [[1, 2]] }, { from, at, measure, ...options });
    await assert.rejects(swept({ from: { inputIds: [[4, 5, 6]] } }), invalid);
    await assert.rejects(swept({ at: 'nowhere' }), { message: /no tensor matches/ });
    await assert.rejects(swept({ positions: [7] }), { message: /no position 7/ });
    await assert.rejects(swept({ heads: [0] }), { message: /has no heads/ });
    await assert.rejects(swept({ keys: [0] }), { message: /residual has no keys/ });
    const weights = 'decoder.layers.*.self.weights';
    await assert.rejects(swept({ at: weights, keys: [2] }), { message: /no key 2 of 2/ });
    await assert.rejects(swept({ measure: { position: 1 } }), { message: /position and token/ });
    const controller = new AbortController();
    const abort = () => controller.abort(new Error('enough'));
    await assert.rejects(swept({ onProgress: abort, signal: controller.signal }), { message: 'enough' });
    assert.equal((await swept({})).effects.data.length, 4);
    await model.dispose();
  });
});

describe('where the mechanism is known', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  test('the adder: the sum hangs on the two digits that it looks at', async () => {
    const model = await loadModel(new URL('../../web/public/models/adder', import.meta.url), { engine });
    const digits = (number) =>
      Array.from({ length: 11 }, (_, place) => Math.floor(number / 10 ** place) % 10);
    const prompt = (a, b) => [...digits(a), 10, ...digits(b), 11];
    // No place has a carry, and none has the same digit in the other sum.
    const [a, b, c, d] = [1234123412, 3412341235, 2341234123, 4123412344];
    const sum = digits(a + b);
    for (const place of [0, 3, 7, 9]) {
      const inputs = { inputIds: [[...prompt(a, b), ...sum.slice(0, place)]] };
      const from = { inputIds: [[...prompt(c, d), ...sum.slice(0, place)]] };
      const position = 23 + place;
      const measure = { position, token: sum[place] };
      const { effects } = await sweep(model, inputs, { from, at: 'decoder.embeddings', measure });
      const ordered = [...effects.data.keys()].sort((i, j) => effects.data[i] - effects.data[j]);
      assert.deepEqual(
        ordered.slice(0, 2).sort((i, j) => i - j),
        [place, 12 + place],
        `place ${place}`,
      );
      const { attentions } = await model.forward(inputs, { outputAttentions: true });
      const time = position + 1;
      const looked = attentions[0].data.subarray((time - 1) * time, time * time);
      const agrees = agreement(
        looked,
        effects.data.map((effect) => -effect),
      );
      assert.ok(agrees > 0.6, `attention agrees with causes: ${agrees}`);
      // The score of a digit comes from its token alone: one layer, without biases, and positions that only turn.
      const { parts, value } = await attribute(model, inputs, {
        layer: 0,
        head: 0,
        query: position,
        key: place,
      });
      for (const part of parts) close(part.value, part.source === 'tokens' ? value : 0, 1e-5, part.source);
    }
    await model.dispose();
  });

  test('two layers that learned to repeat: the second finds a token by what the first wrote there', async () => {
    const { uniform, below } = randomNumbers(3);
    const vocab = 12;
    const row = () => {
      const period = 4 + below(6);
      const order = Array.from({ length: vocab }, (_, id) => ({ id, key: uniform() }));
      const own = order.sort((one, other) => one.key - other.key).map(({ id }) => id);
      return { period, ids: Array.from({ length: 20 }, (_, i) => own[i % period]) };
    };
    const batch = () => {
      const rows = Array.from({ length: 16 }, row);
      return {
        inputs: rows.map(({ ids }) => ids.slice(0, -1)),
        targets: rows.map(({ ids, period }) => ids.slice(1).map((id, i) => (i + 1 <= period ? -100 : id))),
      };
    };
    const config = {
      model_type: 'transformer',
      num_decoder_layers: 2,
      d_model: 32,
      num_heads: 2,
      d_ff: 32,
      vocab_size: vocab,
      max_length: 20,
      positions: 'rotary',
      norm: 'pre',
    };
    const settings = { seed: 2, learningRate: 5e-3, totalSteps: 500, warmupSteps: 20, decay: 'cosine' };
    const trainer = await createTrainer(config, settings);
    for (let step = 0; step < settings.totalSteps; step++) await trainer.step(batch());
    const { accuracy } = await trainer.evaluate(batch());
    assert.ok(accuracy > 0.95, `${accuracy}`);
    const model = await trainer.model({ engine });
    await trainer.dispose();

    // The last token stood at 2; what followed it, at 3, is what comes next.
    const given = [5, 2, 9, 7, 1, 11, 0, 5, 2, 9];
    const inputs = { inputIds: [given] };
    const { attentions } = await model.forward(inputs, { outputAttentions: true });
    const weight = (layer, head, query, key) => attentions[layer].data[(head * 10 + query) * 10 + key];
    const finder = [0, 1].sort((one, other) => weight(1, other, 9, 3) - weight(1, one, 9, 3))[0];
    assert.ok(weight(1, finder, 9, 3) > 0.5, `it looks at what followed: ${weight(1, finder, 9, 3)}`);
    const previous = [0, 1].sort((one, other) => weight(0, other, 3, 2) - weight(0, one, 3, 2))[0];
    const looked = [0, 1, 2, 3].map((key) => weight(0, previous, 3, key));
    assert.ok(looked[2] > 0.4 && looked[2] > 5 * looked[1], `a head of the first looks one back: ${looked}`);

    // Why there? Because the first layer's heads wrote the token before into it; elsewhere they wrote others.
    const why = (key) => attribute(model, inputs, { layer: 1, head: finder, query: 9, key });
    const [there, elsewhere] = [await why(3), await why(5)];
    const gain = there.parts.map(({ source, value }, i) => ({
      source,
      value: value - elsewhere.parts[i].value,
    }));
    const ofHeads = gain.filter(({ source }) => /^decoder\.layers\.0\.self\.\d$/.test(source));
    assert.equal(ofHeads.length, 2);
    assert.ok(total(ofHeads) > 0.8 * total(gain) && total(gain) > 1, JSON.stringify(gain));
    // And causes agree: of a sentence in which another token stood before, no state but that one hides the answer.
    const { base, other, effects } = await sweep(model, inputs, {
      from: { inputIds: [given.with(2, 3)] },
      at: 'decoder.layers.0.residual',
      measure: { position: 9, token: 7 },
    });
    assert.ok(other < base - 0.5, `${other} against ${base}`);
    const lowest = effects.data.indexOf(Math.min(...effects.data));
    assert.equal(lowest, 3, `${effects.data}`);
    const looks = Array.from(given, (_, key) => weight(1, finder, 9, key));
    const agrees = agreement(
      looks,
      effects.data.map((effect) => -effect),
    );
    assert.ok(agrees > 0.5, `attention agrees with causes: ${agrees}`);
    await model.dispose();
  });

  test('the translator: from the first layer on, “it” has the street or the animal that the pronoun speaks of', async () => {
    const sentence = (word) => `The animal didn't cross the street because it was too ${word}.`;
    const model = await loadModel(new URL('../../dist/models/en-fr', import.meta.url), { engine });
    const { ids: tired, tokens } = model.tokenizer.encode(sentence('tired'));
    const { ids: wide } = model.tokenizer.encode(sentence('wide'));
    const [written, instead] = (await model.generate([sentence('tired'), sentence('wide')])).map(
      ({ sequences }) => sequences[0].ids,
    );
    const position = written.findIndex((id, i) => id !== instead[i]) - 1;
    const decoderInputIds = [Array.from(written.slice(0, position + 1))];
    const inputs = (ids) => ({ inputIds: [Array.from(ids)], decoderInputIds });
    const { effects, base, other } = await sweep(model, inputs(tired), {
      from: inputs(wide),
      at: 'encoder.layers.*.residual',
      measure: { position, token: instead[position + 1], against: written[position + 1] },
    });
    assert.ok(base < 0 && other > 0, `${base} and ${other}`);
    for (const layer of [0, 1]) {
      const row = effects.data.subarray(layer * tired.length, (layer + 1) * tired.length);
      const most = Math.max(...row);
      assert.equal(tokens[row.indexOf(most)], 'it');
      assert.ok(most > 0.9 * (other - base), `${most} of ${other - base}`);
    }
    await model.dispose();
  });
});

describe('agreement of attention with causes', () => {
  const near = (actual, expected) =>
    assert.ok(Math.abs(actual - expected) <= 1e-9, `${actual} against ${expected}`);

  test('is 1 for the same order, −1 for the opposite one', () => {
    near(agreement([0.1, 0.2, 0.7], [1, 2, 30]), 1);
    near(agreement([0.1, 0.2, 0.7], [30, 2, 1]), -1);
  });

  test('is tau-b where no two values are close: ties count in neither row', () => {
    // Of six pairs one is tied in the weights; the others agree: 5 / √(5 · 6).
    near(agreement([0.1, 0.1, 0.3, 0.5], [1, 2, 3, 4]), 5 / Math.sqrt(30));
    // One pair of three is the other way round.
    near(agreement([0.1, 0.3, 0.6], [2, 1, 3]), 1 / 3);
  });

  test('close values are tied in part, so that no small weight turns the result', () => {
    near(agreement([0.5, 0.51], [1, 2]), 1);
    const losses = [0, 0.8, 0, 0.6, 0];
    const with_ = (small) => agreement([0.2, small, 0.1, 0.6, 0], losses);
    for (let small = 0; small < 0.1; small += 0.0005)
      assert.ok(Math.abs(with_(small) - with_(small + 0.0005)) < 0.01, `${small}`);
    // A gain is no loss.
    near(agreement([0.1, 0.3, 0.6], [-4, -2, 3]), agreement([0.1, 0.3, 0.6], [0, 0, 3]));
  });

  test('has no value where a row is all alike', () => {
    assert.equal(agreement([0.25, 0.25, 0.25, 0.25], [1, 2, 3, 4]), null);
    assert.equal(agreement([0.7, 0.2, 0.1], [0.009, -1, 0]), null);
  });
});
