// The data that every side computes with: model sizes, random weights under PyTorch's names, random inputs.

export const base = { dModel: 512, numHeads: 8, dFf: 2048, numEncoderLayers: 6, numDecoderLayers: 6 };
export const small = { dModel: 256, numHeads: 8, dFf: 1024, numEncoderLayers: 6, numDecoderLayers: 2 };
/** The size of the MiniLM that most sentences are embedded with, with the layers of the others. */
export const miniLm = { dModel: 384, numHeads: 12, dFf: 1536, numEncoderLayers: 6, numDecoderLayers: 0 };
/** The size of this encoder, with the layers of the others. */
export const vitBase = { dModel: 768, numHeads: 12, dFf: 3072, numEncoderLayers: 12, numDecoderLayers: 0 };
/** The size of this decoder, which is GPT-2's with half of its layers; the layers are those of the others. */
export const distilgpt2 = {
  ...{ dModel: 768, numHeads: 12, dFf: 3072, numEncoderLayers: 0, numDecoderLayers: 6 },
  vocabSize: 50257,
};
export const textbook = { dModel: 128, numHeads: 4, dFf: 512, numEncoderLayers: 2, numDecoderLayers: 2 };

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

export const randomTensor = (shape, seed, bound = 1) => ({
  data: randomNumbers(
    shape.reduce((a, b) => a * b, 1),
    bound,
    seed,
  ),
  shape,
});

/**
 * State dict of `nn.Transformer` with post-norm ReLU layers; a stack of 0 layers is omitted. With a `vocabSize` it also
 * has an embedding shared by both stacks and a separate output projection.
 */
export function transformerWeights({ dModel: d, dFf, numEncoderLayers, numDecoderLayers, vocabSize }) {
  const weights = {};
  let seed = 1;
  const matrix = (name, rows, cols, bound = Math.sqrt(6 / (rows + cols))) => {
    weights[name] = randomTensor([rows, cols], seed++, bound);
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
  stack('decoder', numDecoderLayers, numEncoderLayers > 0 ? ['self_attn', 'multihead_attn'] : ['self_attn']);
  if (vocabSize) {
    matrix('embedding.weight', vocabSize, d, Math.sqrt(3 / d)); // unit variance after the scale of sqrt(d)
    linear('projection', vocabSize, d);
  }
  return weights;
}

/** The same weights, but the layers whose names match add nothing, and every norm in them scales by 1. */
export function idleLayers(weights, pattern) {
  const idle = ([name, { data, shape }]) => {
    if (!pattern.test(name)) return [name, { data, shape }];
    if (/\.(out_proj|linear2)\./.test(name)) return [name, { data: data.map(() => 0), shape }];
    if (/\.norm\d/.test(name))
      return [name, { data: data.map(() => Number(name.endsWith('weight'))), shape }];
    return [name, { data, shape }];
  };
  return Object.fromEntries(Object.entries(weights).map(idle));
}

/** [rows, cols] -> [cols, rows]: other engines multiply from the right. */
export function transposed({ data, shape: [rows, cols] }) {
  const result = new data.constructor(data.length);
  for (let r = 0; r < rows; r++) for (let c = 0; c < cols; c++) result[c * rows + r] = data[r * cols + c];
  return { data: result, shape: [cols, rows] };
}

/** Sinusoidal positions [time, d] from 0 on, sine and cosine interleaved (Vaswani et al. 2017, section 3.5). */
export function sinusoids(time, d) {
  const table = new Float32Array(time * d);
  for (let t = 0; t < time; t++) {
    for (let i = 0; i < d; i += 2) {
      const angle = t / 10000 ** (i / d);
      table[t * d + i] = Math.sin(angle);
      table[t * d + i + 1] = Math.cos(angle);
    }
  }
  return { data: table, shape: [time, d] };
}

const bitsOf = ({ buffer, byteOffset, length }) => new Uint32Array(buffer, byteOffset, length);

/** Numbers of 16 bits, rounded towards zero: enough to measure with. */
const stores = {
  F32: (data) => data,
  BF16: (data) => Uint16Array.from(bitsOf(data), (bits) => bits >>> 16),
  F16: (data) =>
    Uint16Array.from(bitsOf(data), (bits, i) => {
      const exponent = ((bits >>> 23) & 0xff) - 112;
      const magnitude =
        exponent > 0 ? (exponent << 10) | ((bits >>> 13) & 0x3ff) : Math.abs(data[i]) * 2 ** 24;
      return ((bits >>> 16) & 0x8000) | magnitude;
    }),
};

/** The bytes of a .safetensors file of float32 tensors, stored in that type. */
export function safetensors(tensors, dtype = 'F32') {
  const header = {};
  const stored = Object.entries(tensors).map(([name, { data, shape }]) => ({
    name,
    shape,
    data: stores[dtype](data),
  }));
  let end = 0;
  for (const { name, shape, data } of stored) {
    const begin = end;
    end += data.byteLength;
    header[name] = { dtype, shape, data_offsets: [begin, end] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = 8 + text.length;
  const bytes = new Uint8Array(start + end);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  for (const { name, data } of stored) {
    const { buffer, byteOffset, byteLength } = data;
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), start + header[name].data_offsets[0]);
  }
  return bytes;
}
