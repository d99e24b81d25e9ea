// Encoders and decoders built from the operations of tfjs.

import { transposed } from '../weights.mjs';

export const tensorOf = (tf, { data, shape }) => tf.tensor(data, shape);

/** Query, key and value [heads, time, width]; `mask` is added to the scores. */
export function attend(tf, product, { query, key, value, mask }) {
  const scores = tf.mul(product(query, key, true), 1 / Math.sqrt(query.shape[2]));
  return product(tf.softmax(mask ? tf.add(scores, mask) : scores), value, false);
}

export class TfjsTransformer {
  #tf;
  #problem;
  #product;
  /** Tensors by the names of the weights. */
  #kept = {};

  constructor(tf, problem, product) {
    this.#tf = tf;
    this.#problem = problem;
    this.#product = product;
    for (const [name, value] of Object.entries(problem.weights)) this.#keep(name, value);
  }

  /** The three parts of a joint projection apart, matrices as [in, out]. */
  #keep(name, value) {
    const stored = (one) => tensorOf(this.#tf, one.shape.length === 2 ? transposed(one) : one);
    if (!name.includes('in_proj_')) {
      this.#kept[name] = stored(value);
      return;
    }
    const d = this.#problem.config.dModel;
    const rows = value.data.length / 3;
    for (const part of [0, 1, 2]) {
      const data = value.data.subarray(part * rows, (part + 1) * rows);
      this.#kept[`${name}.${part}`] = stored({ data, shape: value.shape.length === 2 ? [d, d] : [d] });
    }
  }

  /** The encoder alone, or all of it if there is a target. */
  computation() {
    const tf = this.#tf;
    const { config, src, tgt } = this.#problem;
    const d = config.dModel;
    const keys = src.shape[1];
    const weights = this.#kept;
    if (!tgt) {
      const compute = (given) => this.#encode(tf.reshape(given.src, [-1, d]), keys);
      return { inputs: { src }, compute, weights };
    }
    const time = tgt.shape[1];
    weights.mask = tf.mul(tf.sub(tf.linalg.bandPart(tf.ones([time, time]), -1, 0), 1), 1e9);
    const compute = (given) => {
      const memory = this.#encode(tf.reshape(given.src, [-1, d]), keys);
      return this.#decode(tf.reshape(given.tgt, [-1, d]), memory, { time, keys, mask: weights.mask });
    };
    return { inputs: { src, tgt }, compute, weights };
  }

  #affine(x, weight, bias, activation = 'linear') {
    return this.#tf.fused.matMul({ a: x, b: this.#kept[weight], bias: this.#kept[bias], activation });
  }

  #linear(x, name, activation) {
    return this.#affine(x, `${name}.weight`, `${name}.bias`, activation);
  }

  #norm(x, name) {
    const tf = this.#tf;
    const mean = tf.mean(x, 1, true);
    const variance = tf.mean(tf.squaredDifference(x, mean), 1, true);
    const factor = tf.rsqrt(tf.add(variance, 1e-5));
    const scaled = tf.mul(tf.mul(tf.sub(x, mean), factor), this.#kept[`${name}.weight`]);
    return tf.add(scaled, this.#kept[`${name}.bias`]);
  }

  /** [batch * time, d] -> [batch * heads, time, width]. */
  #heads(x, time) {
    const tf = this.#tf;
    const { dModel: d, numHeads } = this.#problem.config;
    const split = tf.reshape(x, [-1, time, numHeads, d / numHeads]);
    return tf.reshape(tf.transpose(split, [0, 2, 1, 3]), [-1, time, d / numHeads]);
  }

  #attention(x, memory, name, { time, keys, mask }) {
    const tf = this.#tf;
    const { dModel: d, numHeads } = this.#problem.config;
    const project = (from, part, length) =>
      this.#heads(
        this.#affine(from, `${name}.in_proj_weight.${part}`, `${name}.in_proj_bias.${part}`),
        length,
      );
    const query = project(x, 0, time);
    const key = project(memory, 1, keys);
    const mixed = attend(tf, this.#product, { query, key, value: project(memory, 2, keys), mask });
    const byTime = tf.transpose(tf.reshape(mixed, [-1, numHeads, time, d / numHeads]), [0, 2, 1, 3]);
    return this.#linear(tf.reshape(byTime, [-1, d]), `${name}.out_proj`);
  }

  #feedForward(x, name) {
    return this.#linear(this.#linear(x, `${name}.linear1`, 'relu'), `${name}.linear2`);
  }

  /** A sub-layer with its residual connection and its norm. */
  #block(x, output, norm) {
    return this.#norm(this.#tf.add(x, output), norm);
  }

  #encode(src, time) {
    let x = src;
    for (let i = 0; i < this.#problem.config.numEncoderLayers; i++) {
      const name = `encoder.layers.${i}`;
      x = this.#block(x, this.#attention(x, x, `${name}.self_attn`, { time, keys: time }), `${name}.norm1`);
      x = this.#block(x, this.#feedForward(x, name), `${name}.norm2`);
    }
    return this.#norm(x, 'encoder.norm');
  }

  #decode(tgt, memory, { time, keys, mask }) {
    let x = tgt;
    for (let i = 0; i < this.#problem.config.numDecoderLayers; i++) {
      const name = `decoder.layers.${i}`;
      const own = this.#attention(x, x, `${name}.self_attn`, { time, keys: time, mask });
      x = this.#block(x, own, `${name}.norm1`);
      const cross = this.#attention(x, memory, `${name}.multihead_attn`, { time, keys });
      x = this.#block(x, cross, `${name}.norm2`);
      x = this.#block(x, this.#feedForward(x, name), `${name}.norm3`);
    }
    return this.#norm(x, 'decoder.norm');
  }
}
