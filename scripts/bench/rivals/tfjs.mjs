// tfjs with its wasm backend (XNNPACK): transformers built from its operations, on the same weights.

import { transposed } from '../weights.mjs';
import { fastest } from './fastest.mjs';

function claimCores(count) {
  const own = globalThis.navigator;
  if (!own) return () => {}; // an old Node.js, which means one thread
  Object.defineProperty(own, 'hardwareConcurrency', { value: count, configurable: true });
  return () => {
    delete own.hardwareConcurrency; // makes the prototype's value visible again
  };
}

/** `undefined` where tfjs lacks threads: in Node.js it has only one. */
export async function openTfjs({ tf }, { threads }) {
  if (threads > 1 && !(await tf.env().getAsync('WASM_HAS_MULTITHREAD_SUPPORT'))) return undefined;
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', threads > 1);
  tf.wasm.setThreadsCount(threads);
  // It uses threads for half the cores at most; told that there are twice as many, it uses the requested number.
  const restore = claimCores(2 * threads);
  await tf.setBackend('wasm');
  restore();

  const tensor = ({ data, shape }) => tf.tensor(data, shape);

  /** `inputs` become tensors once; `compute` makes one of them in each call. */
  function solver(inputs, compute, weights = {}) {
    const given = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, tensor(value)]));
    return {
      async run() {
        const output = tf.tidy(() => compute(given));
        const data = await output.data();
        output.dispose();
        return data;
      },
      read: (data) => data,
      dispose: () => tf.dispose([given, weights]),
    };
  }

  /** XNNPACK multiplies two matrices at a time; for several at once tfjs has a slow loop of its own. */
  const products = {
    'all heads at once': (a, b, transposeB) => tf.matMul(a, b, false, transposeB),
    'head by head': (a, b, transposeB) => {
      const right = transposeB ? tf.transpose(b, [0, 2, 1]) : b;
      const pairs = tf.unstack(a).map((matrix, i) => [matrix, i]);
      const rights = tf.unstack(right);
      return tf.stack(pairs.map(([matrix, i]) => tf.matMul(matrix, rights[i])));
    },
  };
  const waysOf = (prepare) =>
    fastest(
      Object.fromEntries(Object.entries(products).map(([way, product]) => [way, () => prepare(product)])),
    );

  /** Query, key and value [heads, time, width]; `mask` is added to the scores. */
  function attend(product, { query, key, value, mask }) {
    const scores = tf.mul(product(query, key, true), 1 / Math.sqrt(query.shape[2]));
    return product(tf.softmax(mask ? tf.add(scores, mask) : scores), value, false);
  }

  const prepare = {
    linear: ({ weight, src }) => {
      const matrix = tensor(transposed(weight));
      return solver({ src }, ({ src }) => tf.matMul(src, matrix), { matrix });
    },
    attention: (inputs) => waysOf((product) => solver(inputs, (given) => attend(product, given))),
    transformer: (problem) => waysOf((product) => transformer(problem, product)),
  };

  function transformer({ config, weights, src, tgt }, product) {
    const { dModel: d, numHeads, numEncoderLayers, numDecoderLayers } = config;
    const kept = {};
    for (const [name, value] of Object.entries(weights)) {
      if (name.includes('in_proj_')) {
        const rows = value.data.length / 3;
        for (const part of [0, 1, 2]) {
          const data = value.data.subarray(part * rows, (part + 1) * rows);
          const slice = { data, shape: value.shape.length === 2 ? [d, d] : [d] };
          kept[`${name}.${part}`] = tensor(value.shape.length === 2 ? transposed(slice) : slice);
        }
      } else kept[name] = tensor(value.shape.length === 2 ? transposed(value) : value);
    }
    const affine = (x, weight, bias, activation = 'linear') =>
      tf.fused.matMul({ a: x, b: kept[weight], bias: kept[bias], activation });
    const linear = (x, name, activation) => affine(x, `${name}.weight`, `${name}.bias`, activation);

    function norm(x, name) {
      const mean = tf.mean(x, 1, true);
      const variance = tf.mean(tf.squaredDifference(x, mean), 1, true);
      const factor = tf.rsqrt(tf.add(variance, 1e-5));
      const scaled = tf.mul(tf.mul(tf.sub(x, mean), factor), kept[`${name}.weight`]);
      return tf.add(scaled, kept[`${name}.bias`]);
    }

    /** [batch * time, d] -> [batch * heads, time, width]. */
    function heads(x, time) {
      const split = tf.reshape(x, [-1, time, numHeads, d / numHeads]);
      return tf.reshape(tf.transpose(split, [0, 2, 1, 3]), [-1, time, d / numHeads]);
    }

    function attention(x, memory, name, { time, keys, mask }) {
      const project = (from, part, length) =>
        heads(affine(from, `${name}.in_proj_weight.${part}`, `${name}.in_proj_bias.${part}`), length);
      const query = project(x, 0, time);
      const key = project(memory, 1, keys);
      const mixed = attend(product, { query, key, value: project(memory, 2, keys), mask });
      const byTime = tf.transpose(tf.reshape(mixed, [-1, numHeads, time, d / numHeads]), [0, 2, 1, 3]);
      return linear(tf.reshape(byTime, [-1, d]), `${name}.out_proj`);
    }

    const feedForward = (x, name) => linear(linear(x, `${name}.linear1`, 'relu'), `${name}.linear2`);

    function encode(src, time) {
      let x = src;
      for (let i = 0; i < numEncoderLayers; i++) {
        const name = `encoder.layers.${i}`;
        x = norm(tf.add(x, attention(x, x, `${name}.self_attn`, { time, keys: time })), `${name}.norm1`);
        x = norm(tf.add(x, feedForward(x, name)), `${name}.norm2`);
      }
      return norm(x, 'encoder.norm');
    }

    function decode(tgt, memory, { time, keys, mask }) {
      let x = tgt;
      for (let i = 0; i < numDecoderLayers; i++) {
        const name = `decoder.layers.${i}`;
        const own = attention(x, x, `${name}.self_attn`, { time, keys: time, mask });
        x = norm(tf.add(x, own), `${name}.norm1`);
        const cross = attention(x, memory, `${name}.multihead_attn`, { time, keys });
        x = norm(tf.add(x, cross), `${name}.norm2`);
        x = norm(tf.add(x, feedForward(x, name)), `${name}.norm3`);
      }
      return norm(x, 'decoder.norm');
    }

    const keys = src.shape[1];
    if (!tgt) return solver({ src }, ({ src }) => encode(tf.reshape(src, [-1, d]), keys), kept);
    const time = tgt.shape[1];
    kept.mask = tf.mul(tf.sub(tf.linalg.bandPart(tf.ones([time, time]), -1, 0), 1), 1e9);
    return solver(
      { src, tgt },
      ({ src, tgt }) => {
        const memory = encode(tf.reshape(src, [-1, d]), keys);
        return decode(tf.reshape(tgt, [-1, d]), memory, { time, keys, mask: kept.mask });
      },
      kept,
    );
  }

  return { prepare, dispose() {} };
}
