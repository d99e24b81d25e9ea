// Checkpoints in 4 bits as GPTQ, AutoAWQ and compressed-tensors write them, and the same numbers in float32.

import { randomNumbers } from './random.mjs';
import { tinyConfig, tinyTensors } from './tiny_model.mjs';

/** Packs eight integers into each word; `at(word, i)` is the i-th one of a word. */
const packed = (words, at) =>
  Int32Array.from({ length: words }, (_, word) => {
    let bits = 0;
    for (let i = 0; i < 8; i++) bits |= at(word, i) << (4 * i);
    return bits;
  });

/** 1.0 and more in float16, as bits and as numbers. */
const halves = (shape, random) => {
  const data = Uint16Array.from({ length: shape[0] * shape[1] }, () => 0x2000 + random.below(0x400));
  return { dtype: 'F16', shape, data };
};
const toFloat = (bits) => (1 + (bits & 0x3ff) / 1024) * 2 ** ((bits >> 10) - 15);
const awqOrder = [0, 2, 4, 6, 1, 3, 5, 7];

const ofTinyModel = () => ({
  original: tinyTensors(tinyConfig),
  matrices: /linear\d\.weight$/,
  isInputsFirst: false,
});

/** Matrices in some layout, by default the tiny model's feed-forward ones, and the same in float32. */
export function pack(layout, { groupSize = 8, hasOrder = false } = {}, of = ofTinyModel()) {
  const { original, matrices, isInputsFirst } = of;
  const random = randomNumbers(5);
  const tensors = new Map();
  const whole = new Map(original);
  for (const [name, tensor] of original) {
    if (!matrices.test(name)) {
      tensors.set(name, tensor);
      continue;
    }
    const [outputs, inputs] = isInputsFirst ? tensor.shape.toReversed() : tensor.shape;
    const size = groupSize === -1 ? inputs : groupSize;
    const groups = Math.ceil(inputs / size);
    const code = Array.from({ length: outputs }, () =>
      Array.from({ length: inputs }, () => random.below(16)),
    );
    const isSymmetric = layout === 'compressed';
    const zero = Array.from({ length: outputs }, () =>
      Array.from({ length: groups }, () => (isSymmetric ? 8 : random.below(16))),
    );
    const order = Array.from({ length: inputs }, (_, k) =>
      hasOrder ? (7 * k) % groups : Math.floor(k / size),
    );
    const base = name.slice(0, -'weight'.length);
    const words = (shape, at) => ({
      dtype: 'I32',
      shape,
      data: packed(shape[0] * shape[1], (word, i) => at(Math.floor(word / shape[1]), word % shape[1], i)),
    });
    const isCompressed = layout.startsWith('compressed');
    const scales = halves(isCompressed ? [outputs, groups] : [groups, outputs], random);
    const scaleAt = (o, g) => toFloat(scales.data[isCompressed ? o * groups + g : g * outputs + o]);
    if (isCompressed) {
      tensors.set(
        `${name}_packed`,
        words([outputs, inputs / 8], (o, word, i) => code[o][8 * word + i]),
      );
      tensors.set(`${name}_scale`, scales);
      tensors.set(`${name}_shape`, {
        dtype: 'I64',
        shape: [2],
        data: BigInt64Array.of(BigInt(outputs), BigInt(inputs)),
      });
      if (!isSymmetric)
        tensors.set(
          `${name}_zero_point`,
          words([outputs / 8, groups], (word, g, i) => zero[8 * word + i][g]),
        );
      if (hasOrder)
        tensors.set(`${name}_g_idx`, { dtype: 'I32', shape: [inputs], data: Int32Array.from(order) });
    } else if (layout === 'awq') {
      tensors.set(
        `${base}qweight`,
        words([inputs, outputs / 8], (k, word, i) => code[8 * word + awqOrder[i]][k]),
      );
      tensors.set(
        `${base}qzeros`,
        words([groups, outputs / 8], (g, word, i) => zero[8 * word + awqOrder[i]][g]),
      );
      tensors.set(`${base}scales`, scales);
    } else {
      const stored = (z) => (layout === 'gptq' ? (z + 15) % 16 : z);
      if (hasOrder)
        tensors.set(`${base}g_idx`, { dtype: 'I32', shape: [inputs], data: Int32Array.from(order) });
      tensors.set(
        `${base}qweight`,
        words([inputs / 8, outputs], (word, o, i) => code[o][8 * word + i]),
      );
      tensors.set(
        `${base}qzeros`,
        words([groups, outputs / 8], (g, word, i) => stored(zero[8 * word + i][g])),
      );
      tensors.set(`${base}scales`, scales);
    }
    const at = (o, k) => (code[o][k] - zero[o][order[k]]) * scaleAt(o, order[k]);
    const data = Float32Array.from({ length: outputs * inputs }, (_, i) =>
      isInputsFirst ? at(i % outputs, Math.floor(i / outputs)) : at(Math.floor(i / inputs), i % inputs),
    );
    whole.set(name, { shape: tensor.shape, data });
  }
  return { tensors, whole };
}

export const compressed = (weights) => ({
  quant_method: 'compressed-tensors',
  format: 'pack-quantized',
  config_groups: {
    group_0: {
      targets: ['Linear'],
      input_activations: null,
      output_activations: null,
      weights: { num_bits: 4, type: 'int', dynamic: false, strategy: 'group', group_size: 8, ...weights },
    },
  },
  ignore: ['lm_head'],
});
export const gptq = { quant_method: 'gptq', bits: 4, group_size: 8, sym: false, desc_act: false };
export const awq = { quant_method: 'awq', bits: 4, group_size: 8, zero_point: true, version: 'gemm' };

export const layouts = [
  ['GPTQ', 'gptq', gptq],
  ['GPTQ without groups', 'gptq', { ...gptq, group_size: -1 }, { groupSize: -1 }],
  ['GPTQ in the order of activations', 'gptq', { ...gptq, desc_act: true }, { hasOrder: true }],
  ['GPTQ, version 2', 'gptq_v2', { ...gptq, checkpoint_format: 'gptq_v2' }],
  ['AWQ', 'awq', awq],
  ['compressed-tensors', 'compressed', compressed({ symmetric: true })],
  [
    'compressed-tensors by channel',
    'compressed',
    compressed({ strategy: 'channel', group_size: null }),
    { groupSize: -1 },
  ],
  ['compressed-tensors with zero points', 'compressed_zeros', compressed({ symmetric: false })],
  [
    'compressed-tensors in the order of activations',
    'compressed_zeros',
    compressed({ symmetric: false, actorder: 'group' }),
    { hasOrder: true },
  ],
];
