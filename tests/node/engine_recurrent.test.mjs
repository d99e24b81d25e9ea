// engine.gru and engine.lstm, against PyTorch's nn.GRU and nn.LSTM.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createEngine, Tensor } from '../../dist/index.js';
import { layerCases } from '../lib/recurrent.mjs';
import { assertClose, assertSameBits } from '../lib/reference.mjs';
import { repeatWithRelaxedSimd } from '../lib/variants.mjs';

let engine;
let threaded;
before(async () => {
  engine = await createEngine({ threads: 1 });
  threaded = await createEngine({ threads: 3 });
});
after(() => Promise.all([engine.dispose(), threaded.dispose()]));

const make = (owner, { config, weights }) =>
  owner[config.cell](
    {
      inputSize: config.input_size,
      hiddenSize: config.hidden_size,
      numLayers: config.num_layers ?? 1,
      bidirectional: config.bidirectional ?? false,
      bias: config.bias ?? true,
    },
    weights,
  );

/** Sequence `i` of [batch, ...], without its padding. */
function sequence({ data, shape: [, time, width] }, i, length) {
  return new Tensor(data.slice(i * time * width, (i * time + length) * width), [length, width]);
}

/** A state [parts, batch, size] of sequence `i`. */
function stateOf({ data, shape: [parts, batch, size] }, i) {
  const own = Array.from({ length: parts }, (_, part) =>
    Array.from(data.slice((part * batch + i) * size, (part * batch + i + 1) * size)),
  );
  return Tensor.from(own);
}

assert.equal(layerCases.length, 6);
for (const given of layerCases) {
  const { name, config, weights, expected } = given;
  const lengths = Array.from(expected.lengths.data);
  const first = {
    hidden: expected.first_hidden,
    ...(config.cell === 'lstm' && { cell: expected.first_cell }),
  };
  const parts = ['output', 'hidden', ...(config.cell === 'lstm' ? ['cell'] : [])];

  test(`${name}: PyTorch's outputs, from zeros and from given states`, async () => {
    const layers = await make(engine, given);
    assert.equal(
      layers.parameterCount,
      Object.values(weights).reduce((sum, { data }) => sum + data.length, 0),
    );
    for (const [prefix, state] of [
      ['', {}],
      ['continued_', first],
    ]) {
      const result = await layers.forward(expected.x, { lengths, ...state });
      assert.deepEqual(Object.keys(result), parts);
      for (const part of parts) assertClose(result[part], expected[prefix + part], 2e-6, prefix + part);
    }
    await layers.dispose();
    await assert.rejects(layers.forward(expected.x), { code: 'disposed' });
  });

  test(`${name}: a sequence has the same bits alone, in a batch, and on any number of threads`, async () => {
    const [layers, others] = await Promise.all([make(engine, given), make(threaded, given)]);
    const all = await layers.forward(expected.x, { lengths, ...first });
    const again = await others.forward(expected.x, { lengths, ...first });
    for (const part of parts) assertSameBits(again[part], all[part], part);
    for (const [i, length] of lengths.entries()) {
      const state = Object.fromEntries(Object.entries(first).map(([key, value]) => [key, stateOf(value, i)]));
      const alone = await layers.forward(sequence(expected.x, i, length), state);
      assertSameBits(alone.output, sequence(all.output, i, length), `output of sequence ${i}`);
      for (const part of parts.slice(1)) assertSameBits(alone[part], stateOf(all[part], i), `${part} ${i}`);
    }
  });

  test(`${name}: two halves, the state carried over, are the whole`, async () => {
    if (config.bidirectional) return; // the reverse direction begins at the end
    const layers = await make(engine, given);
    const x = sequence(expected.x, 1, 6);
    const whole = await layers.forward(x);
    const width = config.input_size;
    const begin = await layers.forward(new Tensor(x.data.slice(0, 2 * width), [2, width]));
    const { hidden, cell } = begin;
    const end = await layers.forward(new Tensor(x.data.slice(2 * width), [4, width]), { hidden, cell });
    for (const part of parts.slice(1)) assertSameBits(end[part], whole[part], part);
  });

  test(`${name}: what the config leaves out is found in the weights`, async () => {
    const layers = await engine[config.cell]({}, weights);
    const result = await layers.forward(expected.x, { lengths });
    assertClose(result.output, expected.output, 2e-6, 'output');
  });

  test(`${name}: in 8 bits nearly the same`, async () => {
    const layers = await engine[config.cell]({ dtype: 'int8' }, weights);
    const { output } = await layers.forward(expected.x, { lengths });
    assertClose(output, expected.output, 0.05, 'output');
  });
}

test('random weights, from a seed', async () => {
  const config = { inputSize: 3, hiddenSize: 4, numLayers: 2, bidirectional: true };
  const x = new Tensor(
    Float32Array.from({ length: 15 }, (_, i) => Math.sin(i)),
    [5, 3],
  );
  const [a, b, c] = await Promise.all([1, 1, 2].map((seed) => engine.lstm(config, { seed })));
  const output = async (layers) => (await layers.forward(x)).output;
  assert.equal(a.parameterCount, 2 * 4 * 4 * (3 + 4 + 2) + 2 * 4 * 4 * (8 + 4 + 2));
  assertSameBits(await output(a), await output(b), 'the same seed');
  assert.notDeepEqual((await output(a)).data, (await output(c)).data);
});

test('wrong input is refused, and the engine goes on', async () => {
  const gru = await engine.gru({ inputSize: 3, hiddenSize: 4 }, { seed: 1 });
  const lstm = await engine.lstm({ inputSize: 3, hiddenSize: 4 }, { seed: 1 });
  const x = new Tensor(new Float32Array(24), [2, 4, 3]);
  const state = (...shape) => new Tensor(new Float32Array(shape.reduce((a, b) => a * b)), shape);
  const refused = [
    [() => gru.forward(new Tensor(new Float32Array(8), [2, 4])), /x must have the shape \[batch, time, 3\]/],
    [() => gru.forward(x, { lengths: [4] }), /a length for each of the 2 sequences/],
    [() => gru.forward(x, { lengths: [4, 5] }), /between 0 and the 4 steps/],
    [() => gru.forward(x, { lengths: [] }), /lengths must be a list/],
    [() => gru.forward(x, { hidden: state(2, 1, 4) }), /hidden must have the shape \[1, 2, 4\]/],
    [() => gru.forward(x, { cell: state(1, 2, 4) }), /a GRU has no cell/],
    [() => lstm.forward(x, { cell: state(1, 4) }), /cell must have the shape \[1, 2, 4\]/],
    [() => lstm.forward(x, { mask: [1] }), /options has no 'mask'/],
    [() => engine.gru({ hiddenSize: 4 }, { seed: 1 }), /inputSize is missing in config/],
    [() => engine.gru({ inputSize: 3, hiddenSize: 0 }, { seed: 1 }), /hiddenSize must be an integer from 1/],
    [() => engine.gru({ inputSize: 3, hiddenSize: 4 }, { weight: x }), /does not use: weight/],
  ];
  for (const [call, message] of refused) await assert.rejects(call, { code: 'invalid_argument', message });
  const { weights } = layerCases.find(({ name }) => name === 'gru');
  const { bias_ih_l0: _, ...incomplete } = weights;
  await assert.rejects(engine.gru({}, incomplete), { code: 'invalid_argument', message: /bias_ih_l0/ });
  assert.deepEqual((await gru.forward(x)).output.shape, [2, 4, 4]);
});

repeatWithRelaxedSimd(import.meta.url);
