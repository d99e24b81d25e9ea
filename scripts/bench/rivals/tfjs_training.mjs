// Training with tfjs: a decoder of GPT-2's layers built from its operations, AdamW and clipped gradients, from given weights.

// The package with all of tfjs, since gradients are not in the core's file for Node.js; it brings the backend `cpu`.
import tf from '@tensorflow/tfjs';
import wasm from '@tensorflow/tfjs-backend-wasm';
import { transposed } from '../weights.mjs';

/** The wasm backend makes whole numbers, whatever is asked for. */
const oneHot = (ids, vocab) => tf.cast(tf.oneHot(tf.tensor1d(ids, 'int32'), vocab), 'float32');

const isMatrix = ({ rank }) => rank === 2;

export class TfjsTrainer {
  #shape;
  /** Matrices as [in, out], tables as they are. */
  #weights = new Map();
  #optimizer;
  #ids;
  #targets;
  #mask;

  /** @param weights as `trainer.weights()` gives them @param inputs the batch of every step, rows of the same length */
  static async open({ backend, shape, weights, inputs }) {
    if (backend === 'wasm') wasm.setThreadsCount(1);
    await tf.setBackend(backend);
    return new TfjsTrainer({ shape, weights, inputs });
  }

  constructor({ shape, weights, inputs }) {
    this.#shape = shape;
    for (const [name, tensor] of weights) {
      const isLinear = tensor.shape.length === 2 && !name.startsWith('tgt_');
      const { data, shape: sizes } = isLinear ? transposed(tensor) : tensor;
      this.#weights.set(name, tf.variable(tf.tensor(data, sizes), true, name));
    }
    this.#optimizer = tf.train.adam(1e-3);
    const { time, vocab } = shape;
    // The gradient of a look-up needs an operation that the wasm backend lacks: the batch is multiplied by the table instead.
    this.#ids = oneHot(inputs.flat(), vocab);
    // The last token of a row has no target.
    const next = inputs.flatMap((row) => [...row.slice(1), -1]);
    this.#targets = oneHot(next, vocab);
    this.#mask = tf.mul(tf.sub(tf.linalg.bandPart(tf.ones([time, time]), -1, 0), 1), 1e9);
  }

  #of(name) {
    return this.#weights.get(name);
  }

  #linear(x, name) {
    return tf.fused.matMul({ a: x, b: this.#of(`${name}.weight`), bias: this.#of(`${name}.bias`) });
  }

  #norm(x, name) {
    const { mean, variance } = tf.moments(x, 1, true);
    const scaled = tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, 1e-5)));
    return tf.add(tf.mul(scaled, this.#of(`${name}.weight`)), this.#of(`${name}.bias`));
  }

  #attention(x, name) {
    const { width, heads, batch, time } = this.#shape;
    const split = (part) => {
      const projected = tf.reshape(this.#linear(x, `${name}.${part}_proj`), [
        batch,
        time,
        heads,
        width / heads,
      ]);
      return tf.reshape(tf.transpose(projected, [0, 2, 1, 3]), [batch * heads, time, width / heads]);
    };
    const scores = tf.mul(tf.matMul(split('q'), split('k'), false, true), 1 / Math.sqrt(width / heads));
    const mixed = tf.matMul(tf.softmax(tf.add(scores, this.#mask)), split('v'));
    const byTime = tf.transpose(tf.reshape(mixed, [batch, heads, time, width / heads]), [0, 2, 1, 3]);
    return this.#linear(tf.reshape(byTime, [batch * time, width]), `${name}.out_proj`);
  }

  #feedForward(x, name) {
    const inner = this.#linear(x, `${name}.linear1`);
    const gelu = tf.mul(tf.mul(inner, 0.5), tf.add(tf.erf(tf.mul(inner, Math.SQRT1_2)), 1));
    return this.#linear(gelu, `${name}.linear2`);
  }

  /** The mean cross-entropy of the targets. */
  #loss() {
    const { layers, batch, time, width } = this.#shape;
    const table = this.#of('tgt_embedding.weight');
    const tokens = tf.reshape(tf.matMul(this.#ids, table), [batch, time, width]);
    let x = tf.reshape(tf.add(tokens, this.#of('tgt_positions.weight')), [batch * time, width]);
    for (let layer = 0; layer < layers; layer++) {
      const name = `decoder.layers.${layer}`;
      x = tf.add(x, this.#attention(this.#norm(x, `${name}.norm1`), `${name}.self_attn`));
      x = tf.add(x, this.#feedForward(this.#norm(x, `${name}.norm2`), name));
    }
    const logits = tf.matMul(this.#norm(x, 'decoder.norm'), table, false, true);
    const sum = tf.sum(tf.mul(tf.logSoftmax(logits), this.#targets));
    return tf.div(tf.neg(sum), batch * (time - 1));
  }

  /** @returns the loss before the weights changed */
  step() {
    return tf.tidy(() => {
      const { value, grads } = tf.variableGrads(() => this.#loss());
      const all = Object.values(grads);
      const norm = tf.sqrt(tf.addN(all.map((one) => tf.sum(tf.square(one)))));
      const scale = tf.minimum(tf.div(1, tf.add(norm, 1e-6)), 1);
      for (const [name, gradient] of Object.entries(grads)) {
        grads[name] = tf.mul(gradient, scale);
        const weight = this.#of(name);
        if (isMatrix(weight)) weight.assign(tf.mul(weight, 1 - 1e-3 * 0.01));
      }
      this.#optimizer.applyGradients(grads);
      return value.dataSync()[0];
    });
  }

  dispose() {
    this.#optimizer.dispose();
    tf.dispose([...this.#weights.values(), this.#ids, this.#targets, this.#mask]);
  }
}
