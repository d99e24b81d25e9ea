// tfjs with its wasm backend (XNNPACK): transformers built from its operations, on the same weights.

import { transposed } from '../weights.mjs';
import { fastest } from './fastest.mjs';
import { attend, TfjsTransformer, tensorOf } from './tfjs_transformer.mjs';

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

  const prepare = {
    linear: ({ weight, src }) => {
      const matrix = tensorOf(tf, transposed(weight));
      return solver(tf, {
        inputs: { src },
        compute: ({ src }) => tf.matMul(src, matrix),
        weights: { matrix },
      });
    },
    attention: (inputs) =>
      waysOf(tf, (product) =>
        solver(tf, { inputs, compute: (given) => attend(tf, product, given), weights: {} }),
      ),
    transformer: (problem) =>
      waysOf(tf, (product) => solver(tf, new TfjsTransformer(tf, problem, product).computation())),
  };
  return { prepare, dispose() {} };
}

/** `inputs` become tensors once; `compute` makes one of them in each call. */
function solver(tf, { inputs, compute, weights }) {
  const given = Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, tensorOf(tf, value)]),
  );
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
const productsOf = (tf) => ({
  'all heads at once': (a, b, transposeB) => tf.matMul(a, b, false, transposeB),
  'head by head': (a, b, transposeB) => {
    const right = transposeB ? tf.transpose(b, [0, 2, 1]) : b;
    const pairs = tf.unstack(a).map((matrix, i) => [matrix, i]);
    const rights = tf.unstack(right);
    return tf.stack(pairs.map(([matrix, i]) => tf.matMul(matrix, rights[i])));
  },
});

const waysOf = (tf, prepare) =>
  fastest(
    Object.fromEntries(Object.entries(productsOf(tf)).map(([way, product]) => [way, () => prepare(product)])),
  );
