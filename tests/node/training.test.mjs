// transformer-wasm/train: what is learned, the same bits, states, folders that load, and refusals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loadModel, TransformerError } from '../../dist/index.js';
import { createTrainer } from '../../dist/train.js';
import { hashOfTraining, reversal, reversalConfig, reversalSettings } from '../lib/training_task.mjs';

const opened = [];
const open = async (config = reversalConfig, options = {}) => {
  const trainer = await createTrainer(config, options);
  opened.push(trainer);
  return trainer;
};
after(() => Promise.all(opened.map((trainer) => trainer.dispose())));

const refusal = (code, pattern) => (error) => {
  assert.ok(error instanceof TransformerError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, pattern);
  return true;
};

const steps = async (trainer, from, to) => {
  const losses = [];
  for (let step = from; step < to; step++) losses.push((await trainer.step(reversal(step, 8))).loss);
  return losses;
};

test('a decoder learns to reverse; its folder loads, and generates what it learned', async () => {
  const trainer = await open(reversalConfig, reversalSettings);
  for (let step = 0; step < reversalSettings.totalSteps; step++) await trainer.step(reversal(step, 32));
  const unseen = reversal(10_000, 64);
  const { accuracy, targets, loss } = await trainer.evaluate(unseen);
  assert.equal(targets, 64 * 4);
  assert.ok(accuracy > 0.99, `${accuracy}`);
  assert.ok(loss < 0.1, `${loss}`);
  const model = await trainer.model();
  try {
    for (const row of unseen.inputs.slice(0, 20)) {
      const prompt = row.slice(0, 5);
      const [{ sequences }] = await model.generate({ inputIds: [prompt] }, { maxNewTokens: 4 });
      assert.deepEqual(sequences[0].ids.slice(-4), prompt.slice(0, 4).reverse());
    }
  } finally {
    await model.dispose();
  }
});

const families = {
  own: {
    ...reversalConfig,
    positions: 'sinusoidal',
    norm: 'post',
    tie_embeddings: false,
    scale_embedding: true,
  },
  llama: {
    model_type: 'llama',
    architectures: ['LlamaForCausalLM'],
    vocab_size: 11,
    hidden_size: 16,
    intermediate_size: 24,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    max_position_embeddings: 16,
  },
  qwen3: {
    model_type: 'qwen3',
    architectures: ['Qwen3ForCausalLM'],
    vocab_size: 11,
    hidden_size: 16,
    intermediate_size: 24,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    head_dim: 8,
    max_position_embeddings: 16,
    tie_word_embeddings: true,
  },
};

for (const [name, config] of Object.entries(families))
  test(`${name}: the engine computes what the trainer evaluates`, async () => {
    const trainer = await open(config, { learningRate: 0.02 });
    await steps(trainer, 0, 3);
    const row = reversal(100, 1).inputs[0];
    const { logits, attentions } = await trainer.evaluate(
      { inputs: [row] },
      { logits: true, attentions: true },
    );
    assert.deepEqual(logits.shape, [row.length, 11]);
    assert.deepEqual(attentions['decoder.layers.0.self_attn'].shape.slice(2), [row.length, row.length]);
    const model = await loadModel(await trainer.save());
    try {
      const output = await model.forward({ inputIds: [row] });
      assert.deepEqual(output.logits.shape, [1, row.length, 11]);
      output.logits.data.forEach((value, i) => {
        assert.ok(Math.abs(value - logits.data[i]) < 2e-5, `${value} ${logits.data[i]}`);
      });
    } finally {
      await model.dispose();
    }
  });

test('an encoder-decoder', async () => {
  const config = {
    num_encoder_layers: 1,
    num_decoder_layers: 1,
    d_model: 16,
    num_heads: 2,
    d_ff: 32,
    vocab_size: 12,
    max_length: 16,
    tie_embeddings: true,
    decoder_start_token_id: 11,
    eos_token_id: 10,
  };
  const trainer = await open(config, { learningRate: 0.01, labelSmoothing: 0.1 });
  const batch = {
    source: [
      [1, 2, 3],
      [4, 5],
    ],
    targets: [
      [3, 2, 1, 10],
      [5, 4, 10],
    ],
  };
  const first = await trainer.step(batch, { attentions: true });
  assert.deepEqual(first.attentions['decoder.layers.0.cross_attn'].shape, [2, 2, 4, 3]);
  let last = first;
  for (let step = 0; step < 150; step++) last = await trainer.step(batch);
  assert.ok(last.loss < first.loss / 2, `${first.loss} ${last.loss}`);
  const model = await trainer.model();
  try {
    const [{ sequences }] = await model.generate({ inputIds: [[1, 2, 3]] }, { maxNewTokens: 6 });
    assert.deepEqual(sequences[0].ids.slice(-4), [3, 2, 1, 10]);
  } finally {
    await model.dispose();
  }
});

test('the same bits: twice, in a worker, and two trainers at once', async () => {
  const expected = await hashOfTraining(createTrainer);
  const [inWorker, beside] = await Promise.all([
    hashOfTraining(createTrainer, { worker: true }),
    hashOfTraining(createTrainer, { worker: true }),
  ]);
  assert.equal(inWorker, expected);
  assert.equal(beside, expected);
  assert.notEqual(await hashOfTraining(createTrainer, { seed: 2 }), expected);
});

test('a state goes on with the same bits', async () => {
  const whole = await open(reversalConfig, reversalSettings);
  const losses = await steps(whole, 0, 6);
  const first = await open(reversalConfig, reversalSettings);
  await steps(first, 0, 3);
  // Its settings come with it.
  const second = await open(reversalConfig, { state: await first.state() });
  assert.equal(await second.steps(), 3);
  assert.deepEqual(await steps(second, 3, 6), losses.slice(3));
  assert.deepEqual(await second.state(), await whole.state());
});

test('a state that is damaged, or of another model, is refused', async () => {
  const trainer = await open();
  await trainer.step(reversal(0, 2));
  const state = await trainer.state();
  for (const at of [0, 9, 200, state.length >> 1, state.length - 40, state.length - 1]) {
    const damaged = state.slice();
    damaged[at] ^= 1;
    await assert.rejects(
      createTrainer(reversalConfig, { state: damaged }),
      refusal('bad_checkpoint', /state/),
    );
  }
  for (const length of [0, 10, state.length - 1])
    await assert.rejects(
      createTrainer(reversalConfig, { state: state.slice(0, length) }),
      refusal('bad_checkpoint', /damaged/),
    );
  const other = { ...reversalConfig, d_ff: 32 };
  await assert.rejects(createTrainer(other, { state }), refusal('invalid_argument', /another config/));
});

test('a loss that is not finite names the step, and changes nothing', async () => {
  const trainer = await open(reversalConfig, { learningRate: 1e30, maxGradNorm: 0, weightDecay: 0 });
  await trainer.step(reversal(0, 4));
  const before = await trainer.state();
  await assert.rejects(trainer.step(reversal(1, 4)), refusal('invalid_argument', /of step 2 is/));
  assert.deepEqual(await trainer.state(), before);
});

test('what is taken away while it trains', async () => {
  // Without a mask, a decoder sees the token that it is to predict: all but the last one are copied.
  const unmasked = await open(reversalConfig, { ...reversalSettings, causal: false });
  const masked = await open(reversalConfig, reversalSettings);
  const row = reversal(0, 1).inputs[0];
  const seen = async (trainer) => {
    const { attentions } = await trainer.evaluate({ inputs: [row] }, { attentions: true });
    const { data, shape } = attentions['decoder.layers.0.self_attn'];
    return data.slice(0, shape.at(-1)).filter((weight) => weight > 0).length;
  };
  assert.deepEqual([await seen(masked), await seen(unmasked)], [1, row.length]);
  // Without positions, two orders of the same tokens are the same for the last one.
  const orderless = await open({ ...reversalConfig, positions: 'none' });
  const last = async (trainer, ids) =>
    (await trainer.evaluate({ inputs: [ids] }, { logits: true })).logits.data.slice(-11);
  const distance = async (trainer) => {
    const [one, other] = [await last(trainer, [1, 2, 3, 9]), await last(trainer, [3, 1, 2, 9])];
    return Math.max(...one.map((value, i) => Math.abs(value - other[i])));
  };
  // In a second layer the tokens before know their order: with one layer.
  const shallow = await open({ ...reversalConfig, positions: 'none', num_decoder_layers: 1 });
  assert.ok((await distance(shallow)) < 1e-5);
  assert.ok((await distance(orderless)) > 1e-5);
  // Another scale of the scores is a setting of the model, which loads with it.
  const unscaled = await open({ ...reversalConfig, attention_scale: 1 });
  const { logits } = await unscaled.evaluate({ inputs: [row] }, { logits: true });
  const model = await unscaled.model();
  const output = await model.forward({ inputIds: [row] });
  for (const [i, value] of output.logits.data.entries()) assert.ok(Math.abs(value - logits.data[i]) < 2e-5);
  await model.dispose();
});

test('further files go with the model', async () => {
  const files = new Map([['notes.txt', new TextEncoder().encode('ours')]]);
  const trainer = await open(reversalConfig, { files });
  const saved = await trainer.save();
  assert.deepEqual([...saved.keys()].sort(), ['config.json', 'model.safetensors', 'notes.txt']);
  assert.equal(new TextDecoder().decode(saved.get('notes.txt')), 'ours');
});

test('refusals', async () => {
  const create = (config, options) => createTrainer({ ...reversalConfig, ...config }, options);
  await assert.rejects(create({ positions: 'alibi' }), refusal('unsupported', /positions/));
  await assert.rejects(create({ activation: 'tanh' }), refusal('unsupported', /activation/));
  await assert.rejects(create({ model_type: 'nothing' }), refusal('unsupported', /nothing/));
  await assert.rejects(create({ d_model: 30 }), refusal('invalid_argument', /multiple/));
  await assert.rejects(create({}, { learning: 1 }), refusal('invalid_argument', /learningRate/));
  await assert.rejects(create({}, { learningRate: -1 }), refusal('invalid_argument', /learningRate/));
  await assert.rejects(create({}, { decay: 'linear' }), refusal('invalid_argument', /totalSteps/));
  await assert.rejects(create({}, { seed: 1.5 }), refusal('invalid_argument', /seed/));
  await assert.rejects(createTrainer('llama'), refusal('invalid_argument', /config/));
  const gpt2 = { model_type: 'gpt2', vocab_size: 11, n_embd: 16, n_head: 2, n_layer: 1, n_positions: 16 };
  await assert.rejects(createTrainer(gpt2), refusal('unsupported', /as it is|trained/));
  const trainer = await open();
  const step = (batch, pattern) => assert.rejects(trainer.step(batch), refusal('invalid_argument', pattern));
  await step({}, /inputs/);
  await step({ inputs: [[1]] }, /no target/);
  await step({ inputs: [[11, 1]] }, /vocabulary of 11/);
  await step({ inputs: [[1, 2]], targets: [[1]] }, /targets/);
  await step({ inputs: [[1, 2]], targets: [[1, 11]] }, /11/);
  await step({ inputs: [[1, 0.5]] }, /token id/);
  await step({ inputs: [1, 2] }, /array of token ids/);
  await step({ inputs: [[1, 2]], source: [[1]] }, /source/);
  await step({ inputs: [Array(17).fill(1)] }, /16/);
  await step({ inputs: [] }, /at least one sequence/);
  const aborted = AbortSignal.abort(new Error('enough'));
  await assert.rejects(trainer.step(reversal(0, 2), { signal: aborted }), /enough/);
  await assert.rejects(create({}, { signal: aborted }), /enough/);
  assert.equal(await trainer.steps(), 0);
  await trainer.dispose();
  await trainer.dispose();
  await assert.rejects(trainer.step(reversal(0, 2)), refusal('disposed', /disposed/));
});
