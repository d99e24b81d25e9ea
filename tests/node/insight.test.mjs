// Capturing a model's inner tensors, and scaling its attention heads.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { generationInputs, readFamilyCase } from '../lib/families.mjs';
import { assertClose, assertSameBits } from '../lib/reference.mjs';
import { readSafetensors, writeSafetensors } from '../lib/safetensors.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

describe('insight', () => {
  let engine;
  const models = new Map();
  const cases = new Map();
  before(async () => {
    engine = await createEngine({ threads: 1 });
    for (const name of ['bart', 't5_v1_1', 'bert', 'gpt2', 'llama', 'bloom', 'vit', 'whisper']) {
      cases.set(name, readFamilyCase(name));
      models.set(name, await loadModel(cases.get(name).files(), { engine }));
    }
  });
  after(() => engine.dispose());

  const stacksOf = (name) => {
    if (['bart', 't5_v1_1', 'whisper'].includes(name)) return ['encoder', 'decoder'];
    return ['bert', 'vit'].includes(name) ? ['encoder'] : ['decoder'];
  };

  for (const name of ['bart', 't5_v1_1', 'bert', 'gpt2', 'llama', 'bloom', 'vit', 'whisper']) {
    test(`${name}: capturing changes no bits, and agrees with the results of a pass`, async () => {
      const { inputs } = cases.get(name);
      const model = models.get(name);
      const plain = await model.forward(inputs);
      const stacks = stacksOf(name);
      const trace = stacks.flatMap((stack) => [`${stack}.*`, `${stack}.layers.*.*`, `${stack}.layers.*.*.*`]);
      const all = await model.forward(inputs, { trace, outputAttentions: true, outputHiddenStates: true });
      // Where the patches are among the tokens is not a tensor.
      const { patches, ...tensors } = plain;
      assert.deepEqual(all.patches, patches);
      for (const [entry, tensor] of Object.entries(tensors)) assertSameBits(all[entry], tensor, entry);

      const states = (stack) => all[`${stack}HiddenStates`] ?? all.hiddenStates;
      const attentions = (stack) => all[`${stack}Attentions`] ?? all.attentions;
      for (const stack of stacks) {
        assertSameBits(all.trace[`${stack}.embeddings`], states(stack)[0], 'embeddings');
        for (const [i, weights] of attentions(stack).entries()) {
          assertSameBits(all.trace[`${stack}.layers.${i}.self_attn.weights`], weights, 'weights');
          const output = all.trace[`${stack}.layers.${i}.output`];
          // The layer's output is that of its last block, the feed-forward layer.
          assertSameBits(all.trace[`${stack}.layers.${i}.feed_forward.residual`], output, 'residual');
          if (i + 1 < attentions(stack).length) assertSameBits(output, states(stack)[i + 1], 'output');
          const { shape } = all.trace[`${stack}.layers.${i}.self_attn.queries`];
          assert.deepEqual(shape.slice(0, 2), output.shape.slice(0, 2));
        }
      }
      if (stacks.includes('decoder')) {
        // After the last layer, these are the model's own logits.
        const last = attentions('decoder').length - 1;
        assertSameBits(all.trace[`decoder.layers.${last}.logits`], all.logits, 'logits of the last layer');
        const first = all.trace['decoder.layers.0.logits'];
        assert.deepEqual(first.shape, all.logits.shape);
        assert.notDeepEqual(first.data, all.logits.data);
      }
    });
  }

  test('scores become weights, and names can be abbreviated', async () => {
    const { inputs } = cases.get('bart');
    const { trace } = await models.get('bart').forward(inputs, {
      trace: ['decoder.layers.1.cross.scores', 'decoder.layers.1.cross.weights', 'encoder.layers.*.residual'],
    });
    assert.deepEqual(Object.keys(trace).sort(), [
      'decoder.layers.1.cross.scores',
      'decoder.layers.1.cross.weights',
      'encoder.layers.0.residual',
      'encoder.layers.1.residual',
    ]);
    const { data, shape } = trace['decoder.layers.1.cross.scores'];
    const weights = await engine.softmax({ data, shape });
    assertClose(weights, trace['decoder.layers.1.cross.weights'], 1e-6, 'weights');
  });

  test('unknown paths are rejected with a list of known ones', async () => {
    const { inputs } = cases.get('bert');
    const refuse = (options, message) =>
      assert.rejects(models.get('bert').forward(inputs, options), { code: 'invalid_argument', message });
    await refuse(
      { trace: ['decoder.layers.0.output'] },
      /no tensor matches 'decoder\.layers\.0\.output'; the tensors are .*encoder\.layers\.\*/,
    );
    await refuse({ trace: ['encoder.layers.2.output'] }, /'encoder\.layers\.2\.output'/);
    await refuse({ trace: 'encoder.output' }, /list of paths/);
    await refuse({ heads: { 'encoder.layers.0.self.4': 0 } }, /encoder\.layers\.0\.self_attn\.0 to 3/);
    await refuse(
      { heads: { 'encoder.layers.0.cross.0': 0 } },
      /no head matches 'encoder\.layers\.0\.cross\.0'/,
    );
    await refuse({ heads: { 'encoder.layers.0.self.0': Number.NaN } }, /finite/);
  });

  /** The same model with the columns of out_proj that read a head scaled. */
  const withoutHead = (name, tensor, { head, heads, factor = 0, isTransposed = false }) => {
    const given = cases.get(name);
    const weights = readSafetensors(given.file('model.safetensors'));
    const { data, shape } = weights.get(tensor);
    const [rows, columns] = shape;
    const width = (isTransposed ? rows : columns) / heads;
    for (let i = 0; i < data.length; i++) {
      const column = isTransposed ? Math.floor(i / columns) : i % columns;
      if (Math.floor(column / width) === head) data[i] *= factor;
    }
    return loadModel(given.files({ 'model.safetensors': writeSafetensors(weights) }), { engine });
  };

  for (const [name, path, tensor, how] of [
    [
      'bart',
      'encoder.layers.1.self.2',
      'model.encoder.layers.1.self_attn.out_proj.weight',
      { head: 2, heads: 4 },
    ],
    [
      'bart',
      'decoder.layers.0.self.0',
      'model.decoder.layers.0.self_attn.out_proj.weight',
      { head: 0, heads: 4 },
    ],
    [
      'bart',
      'decoder.layers.1.cross.3',
      'model.decoder.layers.1.encoder_attn.out_proj.weight',
      { head: 3, heads: 4 },
    ],
    [
      't5_v1_1',
      'decoder.layers.2.cross.1',
      'decoder.block.2.layer.1.EncDecAttention.o.weight',
      { head: 1, heads: 2 },
    ],
    [
      'bert',
      'encoder.layers.0.self.1',
      'encoder.layer.0.attention.output.dense.weight',
      { head: 1, heads: 4 },
    ],
    ['llama', 'decoder.layers.1.self.3', 'model.layers.1.self_attn.o_proj.weight', { head: 3, heads: 4 }],
    [
      'gpt2',
      'decoder.layers.0.self_attn.2',
      'transformer.h.0.attn.c_proj.weight',
      { head: 2, heads: 4, isTransposed: true },
    ],
    [
      'bloom',
      'decoder.layers.1.self.1',
      'transformer.h.1.self_attention.dense.weight',
      { head: 1, heads: 3, factor: 0.25 },
    ],
  ]) {
    test(`${name}: ${path} scaled by ${how.factor ?? 0} equals scaled weights`, async () => {
      const { inputs } = cases.get(name);
      const model = models.get(name);
      const changed = await withoutHead(name, tensor, how);
      const heads = { [path]: how.factor ?? 0 };
      const entry = name === 'bert' ? 'lastHiddenState' : 'logits';
      const plain = await model.forward(inputs);
      const expected = await changed.forward(inputs);
      const turnedDown = await model.forward(inputs, { heads });
      assertClose(turnedDown[entry], expected[entry], 1e-5, name);
      assert.notDeepEqual(turnedDown[entry].data, plain[entry].data);
      assertSameBits((await model.forward(inputs))[entry], plain[entry], 'afterwards');
      if (name !== 'bert') {
        const generation = generationInputs(cases.get(name), {});
        const options = { maxNewTokens: 12, numBeams: 3 };
        const own = await model.generate(generation, { ...options, heads });
        const other = await changed.generate(generation, options);
        const ids = (results) => results.map(({ sequences }) => sequences[0].ids);
        assert.deepEqual(ids(own), ids(other));
        for (const [i, { sequences }] of own.entries())
          assert.ok(Math.abs(sequences[0].score - other[i].sequences[0].score) < 1e-5);
      }
      await changed.dispose();
    });
  }

  test('a factor of 1 changes no bits, and * matches every name', async () => {
    const { inputs } = cases.get('bart');
    const model = models.get('bart');
    const plain = await model.forward(inputs);
    const same = await model.forward(inputs, { heads: { 'decoder.layers.0.cross.1': 1 } });
    assertSameBits(same.logits, plain.logits, 'logits');
    const one = Object.fromEntries([0, 1, 2, 3].map((head) => [`decoder.layers.1.cross.${head}`, 0]));
    const all = await model.forward(inputs, { heads: { 'decoder.layers.1.cross.*': 0 } });
    assertSameBits(all.logits, (await model.forward(inputs, { heads: one })).logits, 'logits');
  });

  test('generate returns attention weights, hidden states and inner tensors of its best result', async () => {
    const model = models.get('bart');
    const [input] = generationInputs(cases.get('bart'), {});
    const trace = ['decoder.layers.0.logits'];
    const options = { maxNewTokens: 6, numBeams: 2 };
    const result = await model.generate(input, {
      ...options,
      outputAttentions: true,
      outputHiddenStates: true,
      trace,
    });
    const ids = result.sequences[0].ids.slice(0, -1);
    const pass = await model.forward(
      { inputIds: [input], decoderInputIds: [ids] },
      { outputAttentions: true, outputHiddenStates: true, trace },
    );
    for (const entry of ['encoderAttentions', 'decoderAttentions', 'crossAttentions', 'decoderHiddenStates'])
      for (const [i, tensor] of result[entry].entries())
        assertSameBits(tensor, pass[entry][i], `${entry}.${i}`);
    assertSameBits(result.trace[trace[0]], pass.trace[trace[0]], 'logits');
    assert.deepEqual((await model.generate(input, options)).sequences, result.sequences);

    const gpt2 = await models.get('gpt2').generate([5, 6, 7], { maxNewTokens: 4, outputHiddenStates: true });
    assert.equal(gpt2.decoderHiddenStates.length, 3);
    const sound = generationInputs(cases.get('whisper'), { batch_rows: '0' });
    const [heard] = await models
      .get('whisper')
      .generate(sound, { prefix: [102, 103], outputAttentions: true });
    const { shape } = heard.crossAttentions[0];
    assert.deepEqual(shape, [1, 4, heard.sequences[0].ids.length - 1, 14]);
    assert.deepEqual(heard.axes.source, []);
  });

  test('translate accepts the same options', async () => {
    const model = await loadModel(tinyModel(), { engine });
    const text = 'the cat sat on the mat';
    const plain = await model.translate(text, { maxNewTokens: 6 });
    const heads = { 'encoder.layers.*.self.*': 0, 'decoder.layers.*.cross.*': 0 };
    const seen = await model.translate(text, { maxNewTokens: 6, heads, trace: ['encoder.output'] });
    assert.notEqual(seen.score, plain.score);
    assert.equal(seen.trace['encoder.output'].shape[2], 16);
    await model.dispose();
  });
});
