// The same transformer twice: random weights under PyTorch's names, and an ONNX graph made of them.

import { OnnxGraph } from './onnx.mjs';

/** Uniform numbers in [-bound, bound), the same for every engine. (Mulberry32.) */
export function randomNumbers(count, bound, seed) {
  const numbers = new Float32Array(count);
  let state = seed >>> 0;
  for (let i = 0; i < count; i++) {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    numbers[i] = (((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1) * bound;
  }
  return numbers;
}

/** State dict of `nn.Transformer` with post-norm ReLU layers; numDecoderLayers 0 leaves the decoder out. */
export function transformerWeights({ dModel: d, dFf, numEncoderLayers, numDecoderLayers }) {
  const weights = {};
  let seed = 1;
  const matrix = (name, rows, cols) => {
    weights[name] = {
      data: randomNumbers(rows * cols, Math.sqrt(6 / (rows + cols)), seed++),
      shape: [rows, cols],
    };
  };
  const vector = (name, size, around) => {
    weights[name] = { data: randomNumbers(size, 0.1, seed++).map((x) => x + around), shape: [size] };
  };
  const linear = (name, out, into) => {
    matrix(`${name}.weight`, out, into);
    vector(`${name}.bias`, out, 0);
  };
  const norm = (name) => {
    vector(`${name}.weight`, d, 1);
    vector(`${name}.bias`, d, 0);
  };
  const attention = (name) => {
    matrix(`${name}.in_proj_weight`, 3 * d, d);
    vector(`${name}.in_proj_bias`, 3 * d, 0);
    linear(`${name}.out_proj`, d, d);
  };
  const stack = (name, layers, attentions) => {
    for (let layer = 0; layer < layers; layer++) {
      const prefix = `${name}.layers.${layer}`;
      for (const part of attentions) attention(`${prefix}.${part}`);
      linear(`${prefix}.linear1`, dFf, d);
      linear(`${prefix}.linear2`, d, dFf);
      for (let i = 1; i <= attentions.length + 1; i++) norm(`${prefix}.norm${i}`);
    }
    if (layers > 0) norm(`${name}.norm`);
  };
  stack('encoder', numEncoderLayers, ['self_attn']);
  stack('decoder', numDecoderLayers, ['self_attn', 'multihead_attn']);
  return weights;
}

/** [rows, cols] -> its transpose: ONNX multiplies from the right. */
function transposed(data, rows, cols) {
  const result = new Float32Array(data.length);
  for (let r = 0; r < rows; r++) for (let c = 0; c < cols; c++) result[c * rows + r] = data[r * cols + c];
  return result;
}

/** Puts transformer layers into a graph, for one batch size and fixed lengths, which lets the other side fold the most. */
class TransformerGraph {
  constructor(config, weights, batch) {
    this.graph = new OnnxGraph();
    this.config = config;
    this.weights = weights;
    this.batch = batch;
  }

  /** x W^T + b, for `rows` rows of the weight from `first` on. */
  linear(x, weight, bias, first = 0, rows = this.weights[weight].shape[0]) {
    const into = this.weights[weight].shape[1];
    const matrix = this.weights[weight].data.subarray(first * into, (first + rows) * into);
    const product = this.graph.node('MatMul', [
      x,
      this.graph.constant([into, rows], transposed(matrix, rows, into)),
    ]);
    const vector = this.weights[bias].data.slice(first, first + rows);
    return this.graph.node('Add', [product, this.graph.constant([rows], vector)]);
  }

  norm(x, name) {
    const { dModel } = this.config;
    const parts = ['weight', 'bias'].map((p) =>
      this.graph.constant([dModel], this.weights[`${name}.${p}`].data),
    );
    return this.graph.node('LayerNormalization', [x, ...parts], { axis: -1, epsilon: 1e-5 });
  }

  heads(x, time, order) {
    const { dModel, numHeads } = this.config;
    const shape = BigInt64Array.from([this.batch, time, numHeads, dModel / numHeads], BigInt);
    const split = this.graph.node('Reshape', [x, this.graph.constant([4], shape)]);
    return this.graph.node('Transpose', [split], { perm: order });
  }

  attention(query, memory, name, queries, keys, isCausal) {
    const { dModel: d, numHeads } = this.config;
    const project = (x, part) =>
      this.linear(x, `${name}.in_proj_weight`, `${name}.in_proj_bias`, part * d, d);
    const q = this.heads(project(query, 0), queries, [0, 2, 1, 3]);
    const k = this.heads(project(memory, 1), keys, [0, 2, 3, 1]);
    const v = this.heads(project(memory, 2), keys, [0, 2, 1, 3]);
    const scale = this.graph.constant([1], Float32Array.of(1 / Math.sqrt(d / numHeads)));
    let scores = this.graph.node('MatMul', [this.graph.node('Mul', [q, scale]), k]);
    if (isCausal) {
      const mask = new Float32Array(queries * keys);
      for (let i = 0; i < queries; i++) for (let j = i + 1; j < keys; j++) mask[i * keys + j] = -1e9;
      scores = this.graph.node('Add', [scores, this.graph.constant([1, 1, queries, keys], mask)]);
    }
    const mixed = this.graph.node('MatMul', [this.graph.node('Softmax', [scores], { axis: -1 }), v]);
    const merged = this.graph.node('Reshape', [
      this.graph.node('Transpose', [mixed], { perm: [0, 2, 1, 3] }),
      this.graph.constant([3], BigInt64Array.from([this.batch, queries, d], BigInt)),
    ]);
    return this.linear(merged, `${name}.out_proj.weight`, `${name}.out_proj.bias`);
  }

  /** norm(x + f(x)) */
  residual(x, y, norm) {
    return this.norm(this.graph.node('Add', [x, y]), norm);
  }

  feedForward(x, name) {
    const inner = this.graph.node('Relu', [this.linear(x, `${name}.linear1.weight`, `${name}.linear1.bias`)]);
    return this.linear(inner, `${name}.linear2.weight`, `${name}.linear2.bias`);
  }

  encoder(src, time) {
    let x = src;
    for (let i = 0; i < this.config.numEncoderLayers; i++) {
      const name = `encoder.layers.${i}`;
      x = this.residual(x, this.attention(x, x, `${name}.self_attn`, time, time, false), `${name}.norm1`);
      x = this.residual(x, this.feedForward(x, name), `${name}.norm2`);
    }
    return this.norm(x, 'encoder.norm');
  }

  decoder(tgt, memory, time, keys) {
    let x = tgt;
    for (let i = 0; i < this.config.numDecoderLayers; i++) {
      const name = `decoder.layers.${i}`;
      x = this.residual(x, this.attention(x, x, `${name}.self_attn`, time, time, true), `${name}.norm1`);
      x = this.residual(
        x,
        this.attention(x, memory, `${name}.multihead_attn`, time, keys, false),
        `${name}.norm2`,
      );
      x = this.residual(x, this.feedForward(x, name), `${name}.norm3`);
    }
    return this.norm(x, 'decoder.norm');
  }
}

/** ONNX bytes of the model over embeddings: inputs `src` (and `tgt`), output `output`. */
export function transformerOnnx(config, weights, { batch, srcTime, tgtTime }) {
  const model = new TransformerGraph(config, weights, batch);
  const { graph } = model;
  const src = graph.input('src', [batch, srcTime, config.dModel]);
  let x = model.encoder(src, srcTime);
  if (config.numDecoderLayers > 0) {
    x = model.decoder(graph.input('tgt', [batch, tgtTime, config.dModel]), x, tgtTime, srcTime);
  }
  graph.node('Identity', [x], {}, { as: 'output' });
  graph.output('output', [batch, tgtTime ?? srcTime, config.dModel]);
  return graph.toBytes();
}

/** ONNX bytes of y = x W^T for x [rows, into]. */
export function linearOnnx(weight, rows) {
  const [out, into] = weight.shape;
  const graph = new OnnxGraph();
  const matrix = graph.constant([into, out], transposed(weight.data, out, into));
  graph.node('MatMul', [graph.input('src', [rows, into]), matrix], {}, { as: 'output' });
  graph.output('output', [rows, out]);
  return graph.toBytes();
}
