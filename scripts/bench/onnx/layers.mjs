// Parts of transformers as ONNX nodes: linear maps in float32 or int8, norms, attention, feed-forward.

import { transposed } from '../weights.mjs';
import { FLOAT, OnnxGraph } from './graph.mjs';

/** Quantises each row of [rows, cols], an output channel, to symmetric int8; returns values and scales. */
function quantized(data, rows, cols) {
  const values = new Int8Array(data.length);
  const scales = new Float32Array(rows);
  for (let r = 0; r < rows; r++) {
    const row = data.subarray(r * cols, (r + 1) * cols);
    scales[r] = row.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0) / 127;
    for (let c = 0; c < cols; c++) values[r * cols + c] = Math.round(row[c] / scales[r]);
  }
  return { values, scales };
}

/** Adds layers to a graph. `dtype` 'int8' quantises like onnxruntime's own quantize_dynamic, but by channel. */
export class LayersGraph extends OnnxGraph {
  #quantizedInputs = new Map();

  constructor(config, weights, { batch = 1, dtype = 'f32' } = {}) {
    super();
    this.config = config;
    this.weights = weights;
    this.batch = batch;
    this.dtype = dtype;
  }

  ints(...values) {
    return this.constant([values.length], BigInt64Array.from(values, BigInt));
  }

  /** x W^T (+ b), for `rows` rows of the weight from `first` on. */
  linear(x, weight, bias, first = 0, rows = this.weights[weight].shape[0]) {
    const into = this.weights[weight].shape[1];
    const matrix = this.weights[weight].data.subarray(first * into, (first + rows) * into);
    const product =
      this.dtype === 'int8' ? this.#int8(x, matrix, rows, into) : this.#f32(x, matrix, rows, into);
    if (!bias) return product;
    const vector = this.weights[bias].data.slice(first, first + rows);
    return this.node('Add', [product, this.constant([rows], vector)]);
  }

  #f32(x, matrix, rows, into) {
    return this.node('MatMul', [x, this.#matrix(matrix, rows, into)]);
  }

  #matrix(values, rows, into) {
    const { data, shape } = transposed({ data: values, shape: [rows, into] });
    return this.constant(shape, data);
  }

  /** onnxruntime recognizes these nodes and fuses them. */
  #int8(x, matrix, rows, into) {
    const { values, scales } = quantized(matrix, rows, into);
    if (!this.#quantizedInputs.has(x))
      this.#quantizedInputs.set(x, this.nodes('DynamicQuantizeLinear', [x], 3));
    const [numbers, scale, zero] = this.#quantizedInputs.get(x);
    const weight = this.#matrix(values, rows, into);
    const zeros = this.constant([rows], new Int8Array(rows));
    const sums = this.node('MatMulInteger', [numbers, weight, zero, zeros]);
    const factor = this.node('Mul', [scale, this.constant([rows], scales)]);
    return this.node('Mul', [this.node('Cast', [sums], { to: FLOAT }), factor]);
  }

  norm(x, name) {
    const { dModel } = this.config;
    const parts = ['weight', 'bias'].map((p) => this.constant([dModel], this.weights[`${name}.${p}`].data));
    return this.node('LayerNormalization', [x, ...parts], { axis: -1, epsilon: 1e-5 });
  }

  /** norm(x + f(x)) */
  residual(x, y, norm) {
    return this.norm(this.node('Add', [x, y]), norm);
  }

  /** [batch, time, d] -> [batch, heads, time, d / heads], or another `order` of these axes. */
  heads(x, time, order) {
    const { dModel, numHeads } = this.config;
    const split = this.node('Reshape', [x, this.ints(this.batch, time, numHeads, dModel / numHeads)]);
    return order ? this.node('Transpose', [split], { perm: order }) : split;
  }

  /** Part 0, 1 or 2 of an input projection: query, key, value. */
  project(x, name, part) {
    const { dModel: d } = this.config;
    return this.linear(x, `${name}.in_proj_weight`, `${name}.in_proj_bias`, part * d, d);
  }

  /** Heads [batch, heads, queries, width] and transposed keys [batch, heads, width, keys] -> the mixed values. */
  attend(query, keys, values, mask) {
    const { dModel, numHeads } = this.config;
    const scale = this.constant([1], Float32Array.of(1 / Math.sqrt(dModel / numHeads)));
    let scores = this.node('MatMul', [this.node('Mul', [query, scale]), keys]);
    if (mask) scores = this.node('Add', [scores, mask]);
    return this.node('MatMul', [this.node('Softmax', [scores], { axis: -1 }), values]);
  }

  attention(query, memory, name, { queries, keys, isCausal = false }) {
    const q = this.heads(this.project(query, name, 0), queries, [0, 2, 1, 3]);
    const k = this.heads(this.project(memory, name, 1), keys, [0, 2, 3, 1]);
    const v = this.heads(this.project(memory, name, 2), keys, [0, 2, 1, 3]);
    const mixed = this.attend(q, k, v, isCausal && this.#causalMask(queries));
    const merged = this.node('Reshape', [
      this.node('Transpose', [mixed], { perm: [0, 2, 1, 3] }),
      this.ints(this.batch, queries, this.config.dModel),
    ]);
    return this.linear(merged, `${name}.out_proj.weight`, `${name}.out_proj.bias`);
  }

  #causalMask(time) {
    const mask = new Float32Array(time * time);
    for (let i = 0; i < time; i++) for (let j = i + 1; j < time; j++) mask[i * time + j] = -1e9;
    return this.constant([1, 1, time, time], mask);
  }

  feedForward(x, name) {
    const inner = this.node('Relu', [this.linear(x, `${name}.linear1.weight`, `${name}.linear1.bias`)]);
    return this.linear(inner, `${name}.linear2.weight`, `${name}.linear2.bias`);
  }

  encoder(src, time) {
    let x = src;
    for (let i = 0; i < this.config.numEncoderLayers; i++) {
      const name = `encoder.layers.${i}`;
      const mixed = this.attention(x, x, `${name}.self_attn`, { queries: time, keys: time });
      x = this.residual(x, mixed, `${name}.norm1`);
      x = this.residual(x, this.feedForward(x, name), `${name}.norm2`);
    }
    return this.norm(x, 'encoder.norm');
  }

  decoder(tgt, memory, { time, keys }) {
    let x = tgt;
    for (let i = 0; i < this.config.numDecoderLayers; i++) {
      const name = `decoder.layers.${i}`;
      const own = this.attention(x, x, `${name}.self_attn`, { queries: time, keys: time, isCausal: true });
      x = this.residual(x, own, `${name}.norm1`);
      const cross = this.attention(x, memory, `${name}.multihead_attn`, { queries: time, keys });
      x = this.residual(x, cross, `${name}.norm2`);
      x = this.residual(x, this.feedForward(x, name), `${name}.norm3`);
    }
    return this.norm(x, 'decoder.norm');
  }
}
