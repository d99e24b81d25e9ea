// A PyTorch model loaded from its own file, and the same numbers stored in other data types.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { readSafetensors, writeSafetensors } from '../lib/safetensors.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

describe('a translation model of PyTorch', () => {
  const folder = new URL('../fixtures/reference/torch_seq2seq/', import.meta.url);
  const json = (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  const args = json('config.json');
  const expected = json('expected.json');
  const { logits } = Object.fromEntries(
    readSafetensors(readFileSync(new URL('expected.safetensors', folder))),
  );
  const config = {
    model_type: 'transformer',
    d_model: args.emb_size,
    num_heads: args.nhead,
    d_ff: args.dim_feedforward,
    num_encoder_layers: args.num_encoder_layers,
    num_decoder_layers: args.num_decoder_layers,
    layer_norm_eps: args.layer_norm_eps,
    activation: args.activation,
    norm: 'post',
    positions: 'sinusoidal',
    max_length: args.max_len,
    src_vocab_size: args.src_vocab_size,
    tgt_vocab_size: args.tgt_vocab_size,
    scale_embedding: true,
    pad_token_id: args.pad,
    unk_token_id: args.unk,
    bos_token_id: args.bos,
    eos_token_id: args.eos,
  };
  const files = new Map([
    ['config.json', new TextEncoder().encode(JSON.stringify(config))],
    ['model.safetensors', readFileSync(new URL('model.safetensors', folder))],
  ]);
  let model;
  before(async () => {
    model = await loadModel(files);
  });
  after(() => model.dispose());

  test('logits under padding masks', async () => {
    const isReal = (rows) => rows.map((row) => row.map((id) => id !== args.pad));
    const output = await model.forward({
      inputIds: expected.src,
      attentionMask: isReal(expected.src),
      decoderInputIds: expected.tgt,
      decoderAttentionMask: isReal(expected.tgt),
    });
    assert.deepEqual(output.logits.shape, logits.shape);
    let compared = 0;
    const [, time, vocab] = logits.shape;
    for (const [i, id] of expected.tgt.flat().entries()) {
      if (id === args.pad) continue;
      for (let j = i * vocab; j < (i + 1) * vocab; j++) {
        assert.ok(Math.abs(output.logits.data[j] - logits.data[j]) < 1e-4, `row ${i / time}, element ${j}`);
        compared++;
      }
    }
    assert.ok(compared > 1000);
  });

  test('the same greedy ids, one by one and in a batch', async () => {
    const sources = expected.src.map((row) => row.filter((id) => id !== args.pad));
    const options = { maxNewTokens: 20 };
    for (const [i, source] of sources.entries()) {
      const { sequences } = await model.generate(source, options);
      assert.deepEqual(sequences[0].ids, expected.greedy[i]);
    }
    const together = await model.generate(sources, options);
    assert.deepEqual(
      together.map(({ sequences }) => sequences[0].ids),
      expected.greedy,
    );
  });

  test('knows which tensors it uses', () => {
    assert.deepEqual(model.info.unusedTensors, []);
    assert.equal(model.info.family, 'transformer');
    assert.equal(model.info.dtype, 'f32');
    const counted = [...readSafetensors(files.get('model.safetensors'))]
      .filter(([name]) => name !== 'positional_encoding.pos_embedding')
      .reduce((sum, [, { data }]) => sum + data.length, 0);
    assert.equal(model.info.parameters, counted);
    assert.equal(model.info.bytes, files.get('model.safetensors').length);
  });

  test('has no tokenizer', async () => {
    assert.equal(model.tokenizer, null);
    await assert.rejects(model.translate('The cat'), { code: 'unsupported', message: /tokenizer/ });
    const { sequences } = await model.generate(expected.src[0], { maxNewTokens: 20 });
    assert.equal(sequences[0].text, '');
  });
});

describe('other data types for the same numbers', () => {
  const float16 = (value) => {
    // Only for numbers that half precision represents exactly: multiples of 1/8 below 8.
    if (value === 0) return 0;
    const exponent = Math.floor(Math.log2(Math.abs(value)));
    const mantissa = Math.abs(value) / 2 ** exponent - 1;
    return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | (mantissa * 1024);
  };
  const bfloat16 = (value) => new Uint32Array(new Float32Array([value]).buffer)[0] >>> 16;
  const stored = {
    F32: (data) => data,
    F64: (data) => Float64Array.from(data),
    F16: (data) => Uint16Array.from(data, float16),
    BF16: (data) => Uint16Array.from(data, bfloat16),
  };

  test('F32, F64, F16 and BF16', async () => {
    const tensors = readSafetensors(tinyModel().get('model.safetensors'));
    for (const tensor of tensors.values())
      tensor.data = tensor.data.map((value) => Math.round(value * 8) / 8 || 0.125);
    const answers = [];
    for (const [dtype, store] of Object.entries(stored)) {
      const written = new Map(
        [...tensors].map(([name, { shape, data }]) => [name, { dtype, shape, data: store(data) }]),
      );
      const files = tinyModel().set('model.safetensors', writeSafetensors(written));
      const model = await loadModel(files);
      assert.deepEqual(model.info.storedDtypes, [dtype]);
      answers.push((await model.generate('The cat sat on the mat.')).sequences);
      await model.dispose();
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  });
});
