// The benchmark's problems as ONNX files, with fixed lengths where possible, which gives the other side the most to fold.

import { sinusoids } from '../weights.mjs';
import { INT64, OnnxGraph } from './graph.mjs';
import { LayersGraph } from './layers.mjs';

/** y = x W^T for `src` [rows, into]. */
export function linearOnnx({ weight, src }, dtype) {
  const graph = new LayersGraph({}, { weight }, { dtype });
  graph.output(
    'output',
    [src.shape[0], weight.shape[0]],
    graph.linear(graph.input('src', src.shape), 'weight'),
  );
  return graph.toBytes();
}

/** `query`, `key` and `value` [heads, time, width] -> softmax(Q K^T / sqrt(width)) V. */
export function attentionOnnx({ query: { shape } }) {
  const [heads, time, width] = shape;
  const graph = new LayersGraph({ dModel: heads * width, numHeads: heads });
  const [query, key, value] = ['query', 'key', 'value'].map((name) => graph.input(name, shape));
  const keys = graph.node('Transpose', [key], { perm: [0, 2, 1] });
  graph.output('output', [heads, time, width], graph.attend(query, keys, value));
  return graph.toBytes();
}

/** The same with onnxruntime's single operator for it: inputs and output [1, time, heads * width]. */
export function fusedAttentionOnnx({ query: { shape } }) {
  const [heads, time, width] = shape;
  const graph = new OnnxGraph();
  const inputs = ['query', 'key', 'value'].map((name) => graph.input(name, [1, time, heads * width]));
  const mixed = graph.node('MultiHeadAttention', inputs, { num_heads: heads }, 'com.microsoft');
  graph.output('output', [1, time, heads * width], mixed);
  return graph.toBytes();
}

/** The model over embeddings: inputs `src` (and `tgt`) [batch, time, d], output `output`. */
export function transformerOnnx({ config, weights, src, tgt }, dtype) {
  const [batch, keys] = src.shape;
  const graph = new LayersGraph(config, weights, { batch, dtype });
  let x = graph.encoder(graph.input('src', src.shape), keys);
  if (tgt) x = graph.decoder(graph.input('tgt', tgt.shape), x, { time: tgt.shape[1], keys });
  graph.output('output', (tgt ?? src).shape, x);
  return graph.toBytes();
}

/** Embeddings with positions of `ids` [1, time]; `positions` is a value [time, d]. */
function embed(graph, ids, positions) {
  const { embedding, scale } = graph;
  const rows = graph.node('Gather', [embedding, ids]);
  return graph.node('Add', [graph.node('Mul', [rows, scale]), positions]);
}

function graphWithEmbedding({ config, weights }, dtype) {
  const graph = new LayersGraph(config, weights, { dtype });
  const { data, shape } = weights['embedding.weight'];
  graph.embedding = graph.constant(shape, data);
  graph.scale = graph.constant([1], Float32Array.of(Math.sqrt(config.dModel)));
  return graph;
}

/** The encoder's part of decoding: `ids` [1, time] -> every layer's `cross.<i>.key` (transposed) and `.value`. */
export function sourceOnnx(problem, dtype) {
  const { config, srcIds } = problem;
  const { dModel: d, numHeads, numDecoderLayers } = config;
  const time = srcIds.length;
  const graph = graphWithEmbedding(problem, dtype);
  const ids = graph.input('ids', [1, time], INT64);
  const { data, shape } = sinusoids(time, d);
  const memory = graph.encoder(embed(graph, ids, graph.constant(shape, data)), time);
  for (let i = 0; i < numDecoderLayers; i++) {
    const name = `decoder.layers.${i}.multihead_attn`;
    const keys = graph.heads(graph.project(memory, name, 1), time, [0, 2, 3, 1]);
    const values = graph.heads(graph.project(memory, name, 2), time, [0, 2, 1, 3]);
    graph.output(`cross.${i}.key`, [1, numHeads, d / numHeads, time], keys);
    graph.output(`cross.${i}.value`, [1, numHeads, time, d / numHeads], values);
  }
  return graph.toBytes();
}

/**
 * One step of decoding: the last token's `id` [1, 1], its `position` [1], every layer's `past.<i>.key` and `.value`
 * [1, heads, past, width] and the results of `sourceOnnx` -> `logits` [1, 1, vocabulary] and `present.<i>.key` and `.value`.
 */
export function stepOnnx(problem, dtype) {
  const { config, srcIds, newTokens } = problem;
  const { dModel: d, numHeads, numDecoderLayers, vocabSize } = config;
  const width = d / numHeads;
  const graph = graphWithEmbedding(problem, dtype);
  const id = graph.input('id', [1, 1], INT64);
  const table = sinusoids(newTokens, d);
  const position = graph.input('position', [1], INT64);
  let x = embed(graph, id, graph.node('Gather', [graph.constant(table.shape, table.data), position]));
  const merge = (mixed, name) =>
    graph.linear(
      graph.node('Reshape', [mixed, graph.ints(1, 1, d)]),
      `${name}.out_proj.weight`,
      `${name}.out_proj.bias`,
    );
  // With one query no transposition is needed: [1, 1, d] and [1, heads, 1, width] have the same layout.
  const headsOf = (projected) => graph.node('Reshape', [projected, graph.ints(1, numHeads, 1, width)]);
  for (let i = 0; i < numDecoderLayers; i++) {
    const layer = `decoder.layers.${i}`;
    const self = `${layer}.self_attn`;
    const [keys, values] = ['key', 'value'].map((part, at) => {
      const past = graph.input(`past.${i}.${part}`, [1, numHeads, 'past', width]);
      const all = graph.node('Concat', [past, headsOf(graph.project(x, self, at + 1))], { axis: 2 });
      graph.output(`present.${i}.${part}`, [1, numHeads, 'total', width], all);
      return all;
    });
    const transposed = graph.node('Transpose', [keys], { perm: [0, 1, 3, 2] });
    const own = graph.attend(headsOf(graph.project(x, self, 0)), transposed, values);
    x = graph.residual(x, merge(own, self), `${layer}.norm1`);
    const cross = `${layer}.multihead_attn`;
    const mixed = graph.attend(
      headsOf(graph.project(x, cross, 0)),
      graph.input(`cross.${i}.key`, [1, numHeads, width, srcIds.length]),
      graph.input(`cross.${i}.value`, [1, numHeads, srcIds.length, width]),
    );
    x = graph.residual(x, merge(mixed, cross), `${layer}.norm2`);
    x = graph.residual(x, graph.feedForward(x, layer), `${layer}.norm3`);
  }
  const logits = graph.linear(graph.norm(x, 'decoder.norm'), 'projection.weight', 'projection.bias');
  graph.output('logits', [1, 1, vocabSize], logits);
  return graph.toBytes();
}
