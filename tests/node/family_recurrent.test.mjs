// Models of the family 'recurrent', those of Bahdanau and Luong with random weights, against PyTorch.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { quantizeCheckpoint } from '../../build/modules/cli/quantize_checkpoint.js';
import { createEngine, loadModel, Tensor } from '../../dist/index.js';
import { withFolder } from '../lib/quantized.mjs';
import { modelCases, pathOf, rowsOf } from '../lib/recurrent.mjs';
import { assertClose, assertSameBits } from '../lib/reference.mjs';
import { writeSafetensors } from '../lib/safetensors.mjs';

let engine;
let threaded;
before(async () => {
  engine = await createEngine({ threads: 1 });
  threaded = await createEngine({ threads: 3 });
});
after(() => Promise.all([engine.dispose(), threaded.dispose()]));

const startId = 2;

/** The folder's files, with changes to config.json. */
function folderOf({ name, config, weights }, changes = {}) {
  const file = (path) => readFileSync(`${pathOf(name)}/${path}`);
  const changed = { ...config, decoder_start_token_id: startId, ...changes };
  const tensors = changes.weights && writeSafetensors(new Map(Object.entries(changes.weights(weights))));
  return new Map([
    ['config.json', new TextEncoder().encode(JSON.stringify({ ...changed, weights: undefined }))],
    ['model.safetensors', tensors ?? file('model.safetensors')],
  ]);
}
const load = (given, owner = engine, changes = {}, options = {}) =>
  loadModel(folderOf(given, changes), { engine: owner, ...options });

const inputsOf = ({ source, target }) => ({
  inputIds: source,
  attentionMask: new Tensor(
    Float32Array.from(source.data, (id) => Number(id !== 0)),
    source.shape,
  ),
  decoderInputIds: target,
});

/** Row `i` of [batch, time, width], without its padding. */
const row = ({ data, shape: [, time, width] }, i, length) =>
  new Tensor(data.slice(i * time * width, (i * time + length) * width), [1, length, width]);

assert.equal(modelCases.length, 7);
for (const given of modelCases) {
  const { name, config, expected } = given;
  const sources = rowsOf(expected.source);
  const targets = rowsOf(expected.target);

  test(`${name}: PyTorch's logits, memory and alignments`, async () => {
    const model = await load(given);
    assert.equal(model.info.family, 'recurrent');
    assert.deepEqual(model.info.unusedTensors, []);
    const output = await model.forward(inputsOf(expected), {
      outputAttentions: true,
      outputHiddenStates: true,
      trace: ['decoder.output', 'decoder.attention.*', 'encoder.layers.*.output'],
    });
    assertClose(output.logits, expected.logits, 2e-5, 'logits');
    assertClose(output.encoderLastHiddenState, expected.memory, 2e-6, 'memory');
    assertClose(output.trace['decoder.output'], expected.readout, 1e-5, 'readout');
    const [batch, time, keys] = expected.weights.shape;
    assert.equal(output.crossAttentions.length, 1);
    assertClose(
      output.crossAttentions[0],
      { data: expected.weights.data, shape: [batch, 1, time, keys] },
      2e-6,
      'alignments',
    );
    const layers = config.num_layers;
    assert.deepEqual(
      output.encoderHiddenStates.map(({ shape }) => shape.slice(0, 2)),
      Array(1 + layers).fill([4, 7]),
    );
    assertSameBits(output.encoderHiddenStates.at(-1), output.encoderLastHiddenState, 'the last state');
    const decoderLayers = config.decoder === 'luong' ? layers : 1;
    assert.deepEqual(
      output.decoderHiddenStates.map(({ shape }) => shape),
      [config.d_embedding, ...Array(decoderLayers).fill(config.hidden_size)].map((width) => [4, 5, width]),
    );
    const centers = output.trace['decoder.attention.centers'];
    assert.equal(centers !== undefined, config.window > 0);
    await model.dispose();
  });

  test(`${name}: PyTorch's greedy tokens, alone, in a batch, streamed, with any number of threads`, async () => {
    const options = { maxNewTokens: expected.greedy.shape[1] - 1, badWordsIds: [[0]] };
    const wanted = rowsOf(expected.greedy);
    const [model, other] = await Promise.all([load(given), load(given, threaded)]);
    const together = await model.generate(sources, options);
    assert.deepEqual(
      together.map(({ sequences }) => sequences[0].ids),
      wanted,
    );
    const again = await other.generate(sources, options);
    for (const [i, source] of sources.entries()) {
      const { sequences } = await model.generate(source, options);
      assert.deepEqual(sequences[0], together[i].sequences[0]);
      assert.deepEqual(again[i].sequences[0], together[i].sequences[0]);
      const streamed = [];
      for await (const { id } of model.stream(source, options)) streamed.push(id);
      assert.deepEqual([startId, ...streamed], wanted[i]);
    }
    await Promise.all([model.dispose(), other.dispose()]);
  });

  test(`${name}: the same bits for a sentence alone and on any number of threads`, async () => {
    const [model, other] = await Promise.all([load(given), load(given, threaded)]);
    const inputs = inputsOf(expected);
    const options = { outputAttentions: true };
    const together = await model.forward(inputs, options);
    const again = await other.forward(inputs, options);
    assertSameBits(again.logits, together.logits, 'three threads');
    assertSameBits(again.crossAttentions[0], together.crossAttentions[0], 'alignments, three threads');
    for (const [i, source] of sources.entries()) {
      const alone = await model.forward({ inputIds: source, decoderInputIds: targets[i] }, options);
      assertSameBits(alone.logits, row(together.logits, i, targets[i].length), `sentence ${i} alone`);
    }
    await Promise.all([model.dispose(), other.dispose()]);
  });

  test(`${name}: beams are scored as the model scores their tokens`, async () => {
    const model = await load(given);
    const options = { numBeams: 4, numReturnSequences: 4, maxNewTokens: 6, lengthPenalty: 0 };
    const { sequences } = await model.generate(sources[1], options);
    const greedy = await model.generate(sources[1], { maxNewTokens: 6 });
    assert.equal(new Set(sequences.map(({ ids }) => ids.join())).size, 4);
    assert.ok(sequences[0].score >= greedy.sequences[0].score - 1e-5);
    for (const { ids, score } of sequences) {
      const { logits } = await model.forward({ inputIds: sources[1], decoderInputIds: ids.slice(0, -1) });
      const vocab = logits.shape[2];
      const total = ids.slice(1).reduce((sum, id, step) => {
        const scores = logits.data.subarray(step * vocab, (step + 1) * vocab);
        const most = Math.max(...scores);
        return sum + scores[id] - most - Math.log(scores.reduce((all, one) => all + Math.exp(one - most), 0));
      }, 0);
      assert.ok(Math.abs(total - score) < 1e-4, `${score} is not ${total}`);
    }
    await model.dispose();
  });

  test(`${name}: in 8 bits nearly the same`, async () => {
    const model = await load(given, engine, {}, { dtype: 'int8' });
    const { logits } = await model.forward(inputsOf(expected));
    const scale = Math.max(...expected.logits.data.map(Math.abs));
    assertClose(logits, expected.logits, 0.1 * scale, 'logits');
    await model.dispose();
  });

  test(`${name}: a file in 8 bits gives the same bits as the original quantised on load`, () =>
    withFolder(async (folder) => {
      const target = join(folder, 'out');
      const options = { force: false, signal: new AbortController().signal, onProgress: () => {} };
      const report = await quantizeCheckpoint(pathOf(name), target, options);
      // Everything but biases and the vectors of the attention.
      for (const kept of report.kept) assert.match(kept, /bias|attention\.vp?$/);
      assert.deepEqual(report.leftOut, []);
      const [stored, onLoad] = await Promise.all([
        loadModel(target, { engine }),
        load(given, engine, {}, { dtype: 'int8' }),
      ]);
      assert.deepEqual([stored.info.dtype, stored.info.unusedTensors], ['int8', []]);
      const inputs = inputsOf(expected);
      assertSameBits((await stored.forward(inputs)).logits, (await onLoad.forward(inputs)).logits, 'logits');
      await Promise.all([stored.dispose(), onLoad.dispose()]);
    }));

  test(`${name}: a profile of its passes`, async () => {
    const model = await load(given);
    const passes = await model.profile({ tokens: 5, rounds: 1 });
    assert.deepEqual(
      passes.map((pass) => pass.name),
      ['encoder', 'decoder', 'step'],
    );
    assert.ok(passes.every(({ parts }) => parts.some(({ flops }) => flops > 0)));
    await model.dispose();
  });
}

test('checkpoints that are not such a model are refused', async () => {
  const [given] = modelCases.filter(({ name }) => name === 'luong_general');
  const refuses = async (changes, message) =>
    assert.rejects(load(given, engine, changes), { code: 'bad_checkpoint', message });
  await refuses({ decoder: 'cho' }, /decoder must be one of bahdanau, luong/);
  await refuses({ hidden_size: null }, /config.json has no hidden_size/);
  await refuses({ bidirectional: true }, /reads forward alone/);
  await refuses({ hidden_size: 9 }, /shape/);
  const without = ({ 'decoder.attention.W.weight': _, ...rest }) => rest;
  await refuses({ weights: without }, /decoder\.attention\.W\.weight/);
  await refuses({ copy_unknown: 1 }, /copy_unknown/);
});

test('inputs that do not fit are refused, and the model goes on', async () => {
  const [given] = modelCases;
  const model = await load(given);
  const refuses = (inputs, options, message) =>
    assert.rejects(model.forward(inputs, options), { code: 'invalid_argument', message });
  const [inputIds, decoderInputIds] = [
    [4, 9, 3],
    [2, 7],
  ];
  await refuses({ inputIds: [4, 23], decoderInputIds }, {}, /vocabulary/);
  await refuses({ inputIds }, {}, /decoderInputIds is missing/);
  await refuses({ inputIds, decoderInputIds, attentionMask: [0, 1, 1] }, {}, /only at the end/);
  await refuses({ inputIds, decoderInputIds }, { heads: { 'decoder.attention.0': 0 } }, /no heads/);
  await refuses({ inputIds, decoderInputIds }, { trace: ['decoder.layers.0.queries'] }, /the tensors are/);
  await assert.rejects(model.forward({ inputsEmbeds: [[[1]]], decoderInputIds }), { code: 'unsupported' });
  const { logits } = await model.forward({ inputIds, decoderInputIds });
  assert.deepEqual(logits.shape, [1, 2, 23]);
  await model.dispose();
  await assert.rejects(model.forward({ inputIds, decoderInputIds }), { code: 'disposed' });
});
