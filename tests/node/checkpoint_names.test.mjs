// PyTorch's names, and the engine tensor that each becomes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  attentionSlices,
  decoderLayerSlices,
  encoderLayerSlices,
  isKnownBuffer,
  storedName,
  transformerSlices,
} from '../../build/modules/plans/torch_names.js';
import { tensorShapes, tinyConfig } from '../lib/tiny_model.mjs';

const shapes = (entries) => new Map(Object.entries(entries));
const names = (slices) => slices.map(({ name }) => name).sort();

test('in_proj stacks queries, keys and values', () => {
  const slices = attentionSlices(shapes({ 'a.in_proj_weight': [12, 4], 'a.in_proj_bias': [12] }), 'a.', 'b.');
  assert.deepEqual(slices[1], {
    name: 'b.k_proj.weight',
    from: 'a.in_proj_weight',
    firstRow: 4,
    rows: 4,
    shape: [4, 4],
  });
  assert.deepEqual(slices[5], {
    name: 'b.v_proj.bias',
    from: 'a.in_proj_bias',
    firstRow: 8,
    rows: 4,
    shape: [4],
  });
  assert.throws(() => attentionSlices(shapes({ in_proj_weight: [10, 4] })), { code: 'bad_checkpoint' });
});

test('separate projections, and the key and value that bias_kv adds', () => {
  const slices = attentionSlices(
    shapes({
      q_proj_weight: [4, 4],
      k_proj_weight: [4, 3],
      bias_k: [1, 1, 4],
      'out_proj.bias': [4],
      other: [1],
    }),
  );
  assert.deepEqual(names(slices), ['bias_k', 'k_proj.weight', 'out_proj.bias', 'q_proj.weight']);
  assert.deepEqual(slices.find(({ name }) => name === 'bias_k').shape, [4]);
});

test('norms are named after the block that they belong to', () => {
  const norms = { 'norm1.weight': [4], 'norm2.weight': [4], 'norm3.weight': [4] };
  const { 'norm3.weight': _, ...two } = norms;
  assert.deepEqual(names(encoderLayerSlices(shapes(two))), [
    'feed_forward_norm.weight',
    'self_attn_norm.weight',
  ]);
  const cross = shapes({ ...norms, 'multihead_attn.out_proj.bias': [4] });
  assert.deepEqual(names(decoderLayerSlices(cross)), [
    ...[
      'cross_attn.out_proj.bias',
      'cross_attn_norm.weight',
      'feed_forward_norm.weight',
      'self_attn_norm.weight',
    ],
  ]);
});

test('prefixes of wrapping modules are ignored', () => {
  const plain = tensorShapes(tinyConfig);
  const expected = names(transformerSlices(plain));
  for (const prefix of ['model.', 'transformer.', 'module.model.']) {
    const wrapped = new Map([...plain].map(([name, shape]) => [prefix + name, shape]));
    assert.deepEqual(names(transformerSlices(wrapped)), expected);
  }
});

test('a single stack: nn.TransformerEncoder is an encoder, or under a causal mask a decoder', () => {
  const entries = shapes({ 'layers.0.norm2.weight': [4], 'norm.weight': [4], 'embedding.weight': [9, 4] });
  assert.deepEqual(names(transformerSlices(entries, 'encoder')), [
    ...['encoder.embedding.weight', 'encoder.layers.0.feed_forward_norm.weight', 'encoder.norm.weight'],
  ]);
  const decoder = shapes({ 'transformer_encoder.layers.0.norm2.weight': [4], 'positions.weight': [9, 4] });
  assert.deepEqual(names(transformerSlices(decoder, 'decoder')), [
    ...['decoder.layers.0.feed_forward_norm.weight', 'decoder.positions.weight'],
  ]);
});

test('every name maps back to the stored name', () => {
  const plain = tensorShapes(tinyConfig);
  for (const { name, from } of transformerSlices(plain)) {
    // Both sides share one embedding here, and mapping back "in_proj" loses the third that it was.
    assert.equal(storedName(name).replace('in_proj.', 'in_proj_'), from);
  }
});

test('buffers that can be computed are recognised', () => {
  for (const name of [
    'positional_encoding.pos_embedding',
    'pos_encoder.pe',
    'model.pos_encoder.pe',
    'position_ids',
  ]) {
    assert.ok(isKnownBuffer(name), name);
  }
  for (const name of ['positions.weight', 'embedding.weight', 'type', 'encoder.shape'])
    assert.ok(!isKnownBuffer(name), name);
});
