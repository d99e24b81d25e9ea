// 8-bit weights in tests: a naive twin of the package's quantiser and reader, and folders on disk.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from './families.mjs';
import { quantizeRow } from './integers.mjs';
import { tinyConfig, tinyModel, tinyTensors } from './tiny_model.mjs';

export const scaleName = (name) => `${name}_scale`;

/** The quantization_config as other programs write it, with more fields than ours. */
export const quantizationConfig = {
  config_groups: {
    group_0: {
      input_activations: {
        actorder: null,
        dynamic: true,
        group_size: null,
        num_bits: 8,
        observer: null,
        strategy: 'token',
        symmetric: true,
        type: 'int',
      },
      output_activations: null,
      targets: ['Linear'],
      weights: {
        actorder: null,
        dynamic: false,
        group_size: null,
        num_bits: 8,
        observer: 'minmax',
        strategy: 'channel',
        symmetric: true,
        type: 'int',
      },
    },
  },
  format: 'int-quantized',
  global_compression_ratio: 1.2,
  ignore: ['lm_head'],
  kv_cache_scheme: null,
  quant_method: 'compressed-tensors',
  quantization_status: 'compressed',
};

/** Row i of a matrix [rows, cols], or its column i. */
export function channelOf({ data, shape: [rows, cols] }, i, axis) {
  if (axis === 0) return data.subarray(i * cols, (i + 1) * cols);
  return Float32Array.from({ length: rows }, (_, row) => data[row * cols + i]);
}

/** The tensors of a quantised file as floats, without the scales. */
export function dequantized(tensors) {
  const scales = new Set(
    [...tensors].filter(([, { dtype }]) => dtype === 'I8').map(([name]) => scaleName(name)),
  );
  return new Map(
    [...tensors]
      .filter(([name]) => !scales.has(name))
      .map(([name, tensor]) => {
        if (tensor.dtype !== 'I8') return [name, tensor];
        const { shape, data } = tensor;
        const scale = tensors.get(scaleName(name));
        const cols = shape[1];
        const scaleOf = (i) => {
          if (scale.data.length === 1) return scale.data[0];
          return scale.data[scale.shape[0] === 1 ? i % cols : Math.floor(i / cols)];
        };
        return [name, { dtype: 'F32', shape, data: Float32Array.from(data, (q, i) => q * scaleOf(i)) }];
      }),
  );
}

/** Quantises the named matrices, with one scale per row. */
export function quantized(tensors, isMatrix) {
  const result = new Map();
  for (const [name, tensor] of tensors) {
    if (!isMatrix(name)) {
      result.set(name, tensor);
      continue;
    }
    const [rows] = tensor.shape;
    const channels = Array.from({ length: rows }, (_, i) => quantizeRow(channelOf(tensor, i, 0)));
    const integers = Int8Array.from(channels.flatMap((channel) => channel.integers));
    result.set(name, { dtype: 'I8', shape: tensor.shape, data: integers });
    result.set(scaleName(name), {
      dtype: 'F32',
      shape: [rows, 1],
      data: Float32Array.from(channels, ({ scale }) => scale),
    });
  }
  return result;
}

/** Runs `work` with an empty folder, and deletes it afterwards. */
export async function withFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes a Map of files to a folder of its own. */
export async function writeFiles(folder, files) {
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
  return folder;
}

/** The files with another `quantization_config`; `undefined`: without one. */
export function withQuantizationConfig(files, config) {
  const before = JSON.parse(new TextDecoder().decode(files.get('config.json')));
  return new Map(files).set('config.json', json({ ...before, quantization_config: config }));
}

const isMatrix = (name) => /(embedding|in_proj_|out_proj\.|linear\d\.|projection\.)weight$/.test(name);

/** The tiny model's tensors as another program might quantise them: with the matrices before their scales. */
export const tensorsOf8Bits = () => quantized(tinyTensors(tinyConfig), isMatrix);

/** The files of a quantised tiny model with these tensors. */
export const filesOf8Bits = (tensors, config = quantizationConfig) =>
  withQuantizationConfig(tinyModel({ tensors }), config);
