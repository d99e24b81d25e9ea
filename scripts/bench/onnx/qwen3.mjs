// Qwen3 as exports for transformers.js have it, with random integers: products in 8 bits quantise their rows on the fly, those
// in 4 bits have a scale for 32 weights; attention is one operator, which rotates and keeps keys and values.

import { randomNumbers } from '../weights.mjs';
import { FLOAT, INT32, INT64, OnnxGraph } from './graph.mjs';

const contrib = 'com.microsoft';
const groupSize = 32;

/** @param dtype 'int8' or 'int4' @param length the longest sequence */
export function qwen3Onnx(size, dtype, length) {
  return new Qwen3Graph(size, dtype, length).made();
}

class Qwen3Graph extends OnnxGraph {
  #size;
  #dtype;
  #length;
  #bytes = Uint8Array.from(randomNumbers(1 << 20, 127.99, 1), (number) => number & 255);

  constructor(size, dtype, length) {
    super();
    this.#size = size;
    this.#dtype = dtype;
    this.#length = length;
  }

  made() {
    const { d, layers, vocab } = this.#size;
    const ids = this.input('ids', [1, 'time'], INT64);
    const lengths = [this.input('last', [1], INT32), this.input('total', [], INT32)];
    const rotation = this.#rotation();
    let x = this.#embedded(ids);
    for (let layer = 0; layer < layers; layer++) {
      x = this.node('Add', [x, this.#attended(this.#norm(x, d), layer, [...lengths, ...rotation])]);
      x = this.node('Add', [x, this.#fed(this.#norm(x, d))]);
    }
    const last = this.node('Gather', [x, this.#ints(-1)], { axis: 1 });
    this.output('logits', [1, 1, vocab], this.#product(this.#norm(last, d), vocab, d));
    return this.toBytes();
  }

  #ints(...values) {
    return this.constant([values.length], BigInt64Array.from(values, BigInt));
  }

  #integers(count) {
    const all = new Uint8Array(count);
    for (let at = 0; at < count; at += this.#bytes.length) all.set(this.#bytes.subarray(0, count - at), at);
    return all;
  }

  #embedded(ids) {
    const { d, vocab } = this.#size;
    const table = this.constant([vocab, d], new Int8Array(this.#integers(vocab * d).buffer));
    const rows = this.node('Cast', [this.node('Gather', [table, ids])], { to: FLOAT });
    return this.node('Mul', [rows, this.constant([1], Float32Array.of(0.05 / 127))]);
  }

  #norm(x, width) {
    const scale = this.constant([width], new Float32Array(width).fill(1));
    return this.node('SimplifiedLayerNormalization', [x, scale], { axis: -1, epsilon: 1e-6 });
  }

  #product(x, out, into) {
    if (this.#dtype === 'int8') {
      const weight = this.constant([into, out], new Int8Array(this.#integers(into * out).buffer));
      const scale = this.constant([1], Float32Array.of(0.05 / 127));
      return this.node('DynamicQuantizeMatMul', [x, weight, scale], {}, contrib);
    }
    const groups = into / groupSize;
    const weight = this.constant([out, groups, groupSize / 2], this.#integers((out * into) / 2));
    const scales = this.constant([out * groups], new Float32Array(out * groups).fill(0.05 / 8));
    const sizes = { K: into, N: out, bits: 4, block_size: groupSize, accuracy_level: 4 };
    return this.node('MatMulNBits', [x, weight, scales], sizes, contrib);
  }

  /** Cosines and sines of half a head, by position. */
  #rotation() {
    const half = this.#size.dHead / 2;
    return [Math.cos, Math.sin].map((wave) => {
      const angle = (i) => Math.floor(i / half) * 1e6 ** (-(i % half) / half);
      const values = Float32Array.from({ length: this.#length * half }, (_, i) => wave(angle(i)));
      return this.constant([this.#length, half], values);
    });
  }

  /** Queries or keys, each head at length 1 before its scale. */
  #heads(x, heads) {
    const { d, dHead } = this.#size;
    const split = this.node('Reshape', [this.#product(x, heads * dHead, d), this.#ints(1, -1, dHead)]);
    return this.node('Reshape', [this.#norm(split, dHead), this.#ints(1, -1, heads * dHead)]);
  }

  #attended(x, layer, rest) {
    const { d, heads, keys, dHead } = this.#size;
    const past = ['key', 'value'].map((part) =>
      this.input(`past.${layer}.${part}`, [1, keys, 'past', dHead]),
    );
    const inputs = [
      this.#heads(x, heads),
      this.#heads(x, keys),
      this.#product(x, keys * dHead, d),
      ...past,
      ...rest,
    ];
    const sizes = { num_heads: heads, kv_num_heads: keys, do_rotary: 1 };
    const [mixed, ...present] = this.nodes('GroupQueryAttention', inputs, 3, sizes, contrib);
    for (const [i, part] of ['key', 'value'].entries())
      this.output(`present.${layer}.${part}`, [1, keys, 'total', dHead], present[i]);
    return this.#product(mixed, d, heads * dHead);
  }

  #fed(x) {
    const { d, ffn } = this.#size;
    const gate = this.#product(x, ffn, d);
    const open = this.node('Mul', [gate, this.node('Sigmoid', [gate])]);
    return this.#product(this.node('Mul', [open, this.#product(x, ffn, d)]), d, ffn);
  }
}
