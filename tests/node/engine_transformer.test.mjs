// The transformer as a building block: its config, its weights and their names.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createEngine, TransformerError } from '../../dist/index.js';
import { assertHeap } from '../lib/heap.mjs';
import { assertClose, assertSameBits, readCase } from '../lib/reference.mjs';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const refusal = (code, message) => (error) => {
  assert.ok(error instanceof TransformerError, `${error?.stack}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return true;
};

const small = { dModel: 16, numHeads: 2, dFf: 20, numEncoderLayers: 1, numDecoderLayers: 1 };
const x = [Array.from({ length: 3 }, (_, i) => Array.from({ length: 16 }, (_, j) => Math.sin(i + j)))];

const linear = (outputs, inputs) => outputs * inputs + outputs;
const norm = 2 * 16;
const attention = 4 * linear(16, 16);
const feedForward = linear(20, 16) + linear(16, 20);
const encoder = attention + feedForward + 2 * norm;
const decoder = 2 * attention + feedForward + 3 * norm;
const both = encoder + decoder + 2 * norm;

/** Configs with random weights: [config, parameter count, name and width of the result]. */
for (const [name, config, parameters, result, width] of [
  ['as nn.Transformer', {}, both, 'output', 16],
  ['without final norms', { finalNorm: false }, both - 2 * norm, 'output', 16],
  ['one vocabulary', { vocabSize: 11 }, both + 11 * 16 + linear(11, 16), 'logits', 11],
  ['two vocabularies', { srcVocabSize: 11, tgtVocabSize: 7 }, both + 18 * 16 + linear(7, 16), 'logits', 7],
  ['tied embeddings', { vocabSize: 11, tieEmbeddings: true }, both + 11 * 16, 'logits', 11],
  [
    'a projection of embeddings given',
    { vocabSize: 11, embeddings: false },
    both + linear(11, 16),
    'logits',
    11,
  ],
  ['learned positions', { positions: 'learned', maxLength: 9 }, both + 2 * 9 * 16, 'output', 16],
  ['relative positions', { positions: 'relative' }, both + 2 * 32 * 2, 'output', 16],
  ['rotary positions', { positions: 'rotary' }, both, 'output', 16],
  ['ALiBi', { positions: 'alibi' }, both, 'output', 16],
  ['an encoder alone', { numDecoderLayers: 0 }, encoder + norm, 'output', 16],
  [
    'a decoder alone',
    { numEncoderLayers: 0, vocabSize: 11 },
    encoder + norm + 11 * 16 + linear(11, 16),
    'logits',
    11,
  ],
]) {
  test(name, async () => {
    const model = await engine.transformer({ ...small, ...config }, { seed: 1 });
    assert.equal(model.parameterCount, parameters);
    const takesIds = result === 'logits' && config.embeddings !== false;
    const input = takesIds ? [[1, 2, 3]] : x;
    const hasBoth = config.numEncoderLayers !== 0 && config.numDecoderLayers !== 0;
    const output = await model.forward(input, hasBoth ? input : undefined);
    assert.deepEqual(output[result].shape, [1, 3, width]);
    assert.ok(output[result].data.every(Number.isFinite));
    await model.dispose();
  });
}

test('defaults of six layers per stack and dFf = 4 dModel, as in the paper', async () => {
  const model = await engine.transformer({ dModel: 16, numHeads: 2 }, { seed: 1 });
  const wide = linear(64, 16) + linear(16, 64) - feedForward;
  assert.equal(model.parameterCount, 6 * (encoder + decoder + 2 * wide) + 2 * norm);
  await model.dispose();
});

test('encode and decode equal forward, with short and long names of masks', async () => {
  const model = await engine.transformer({ ...small, vocabSize: 11 }, { seed: 2 });
  const [src, tgt] = [[[1, 2, 3]], [[4, 5]]];
  const srcKeyPaddingMask = [[true, true, false]];
  const memoryKeyPaddingMask = srcKeyPaddingMask;
  const whole = await model.forward(src, tgt, { srcKeyPaddingMask, memoryKeyPaddingMask });
  const memory = await model.encode(src, { keyPaddingMask: srcKeyPaddingMask });
  assertSameBits(memory, whole.encoderOutput, 'memory');
  assertSameBits(await model.encode(src, { srcKeyPaddingMask }), memory, 'memory by the long name');
  const { logits } = await model.decode(tgt, memory, { memoryKeyPaddingMask });
  assertSameBits(logits, whole.logits, 'logits');
  await assert.rejects(
    model.encode(src, { srcKeyPaddingMask, keyPaddingMask: srcKeyPaddingMask }),
    refusal('invalid_argument', /srcKeyPaddingMask and keyPaddingMask are two names/),
  );
  await model.dispose();
});

test('the same seed gives the same weights, another seed different ones', async () => {
  const outputs = await Promise.all(
    [1, 1, 2].map(async (seed) => {
      const model = await engine.transformer(small, { seed });
      const { output } = await model.forward(x, x);
      await model.dispose();
      return output;
    }),
  );
  assertSameBits(outputs[1], outputs[0], 'the same seed');
  assert.notDeepEqual(outputs[2].data, outputs[0].data);
});

test('a decoder alone under the names of nn.TransformerEncoder equals the encoder with a causal mask', async () => {
  const stack = readCase('torch_encoder_stack');
  const { d_model: dModel, nhead: numHeads } = stack.config.layer_args;
  const config = { dModel, numHeads, norm: 'pre', activation: 'gelu' };
  const model = await engine.transformer({ ...config, numEncoderLayers: 0 }, stack.weights);
  const { output } = await model.forward(stack.get('src'), undefined, {
    tgtKeyPaddingMask: Array.from({ length: 3 }, () => Array(7).fill(true)),
  });
  const same = await engine.transformer(config, stack.weights);
  const causal = await same.encode(stack.get('src'), { isCausal: true });
  assertClose(output, causal, 1e-5, 'output');
  assert.equal(model.parameterCount, same.parameterCount);
  await Promise.all([model.dispose(), same.dispose()]);
});

test('a tied projection may be stored twice if both copies are equal', async () => {
  const table = { data: Float32Array.from({ length: 70 * 24 }, (_, i) => Math.sin(i)), shape: [70, 24] };
  const { weights, config } = readCase('torch_seq2seq');
  const stacks = Object.fromEntries(
    Object.entries(weights).filter(([name]) => name.startsWith('transformer.')),
  );
  const options = { dModel: 24, numHeads: config.nhead, tieEmbeddings: true };
  const model = await engine.transformer(options, {
    ...stacks,
    'embedding.weight': table,
    'generator.weight': table,
  });
  const { logits } = await model.forward([[1, 2]], [[3]]);
  assert.deepEqual(logits.shape, [1, 1, 70]);
  const other = { data: table.data.with(5, 1), shape: table.shape };
  await assert.rejects(
    engine.transformer(options, { ...stacks, 'embedding.weight': table, 'generator.weight': other }),
    refusal('invalid_argument', /'generator.weight' and 'embedding.weight' hold different numbers/),
  );
  await model.dispose();
});

test('unused weights are named in the error, also if the config leaves them out', async () => {
  const { weights, config } = readCase('torch_transformer_post_relu');
  const { d_model: dModel, nhead: numHeads } = config.args;
  const before = engine.info.heapBytes;
  await assert.rejects(
    engine.transformer({ dModel, numHeads }, { ...weights, 'encoder.layers.0.norm9.weight': [1] }),
    refusal('invalid_argument', /does not use: encoder\.layers\.0\.norm9\.weight/),
  );
  await assert.rejects(
    engine.transformer({ dModel, numHeads, numEncoderLayers: 1 }, weights),
    refusal('invalid_argument', /does not use: encoder\.layers\.1\./),
  );
  await assert.rejects(
    engine.transformer({ dModel, numHeads, numEncoderLayers: 3 }, weights),
    refusal('invalid_argument', /encoder\.layers\.2\./),
  );
  assertHeap(engine, before);
});

test('a single-stack model has one input', async () => {
  const model = await engine.transformer({ ...small, numDecoderLayers: 0 }, { seed: 1 });
  await assert.rejects(
    model.forward(x, x),
    refusal('invalid_argument', /only an encoder, so it takes one input/),
  );
  await model.dispose();
});

test('a sequence longer than the positions is rejected', async () => {
  const model = await engine.transformer({ ...small, vocabSize: 11, maxLength: 4 }, { seed: 1 });
  await assert.rejects(
    model.encode([[1, 2, 3, 4, 5]]),
    refusal('invalid_argument', /5 tokens long.*4 positions/),
  );
  await model.dispose();
});

test('linear takes weights alone, or a config and a seed', async () => {
  const fromWeights = await engine.linear({ weight: [[1, 2]] });
  assert.equal(fromWeights.parameterCount, 2);
  assert.deepEqual((await fromWeights.forward([[3, 4]])).tolist(), [[11]]);
  const drawn = await engine.linear({ inFeatures: 3, outFeatures: 2 }, { seed: 1 });
  assert.equal(drawn.parameterCount, 8);
  await assert.rejects(engine.linear({ seed: 1 }), refusal('invalid_argument', /needs a 'weight'/));
  await Promise.all([fromWeights.dispose(), drawn.dispose()]);
});
