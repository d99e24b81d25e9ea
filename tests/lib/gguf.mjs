// Writes and reads GGUF files in tests: a naive twin of the package's own reader.

const numberTypes = {
  u8: [0, 1, (view, place, value) => view.setUint8(place, value)],
  i8: [1, 1, (view, place, value) => view.setInt8(place, value)],
  u32: [4, 4, (view, place, value) => view.setUint32(place, value, true)],
  i32: [5, 4, (view, place, value) => view.setInt32(place, value, true)],
  f32: [6, 4, (view, place, value) => view.setFloat32(place, value, true)],
  bool: [7, 1, (view, place, value) => view.setUint8(place, Number(value))],
  u64: [10, 8, (view, place, value) => view.setBigUint64(place, BigInt(value), true)],
};
export const tensorTypes = { F32: 0, F16: 1, Q4_0: 2, Q8_0: 8, BF16: 30 };

function number(type, value) {
  const [, size, write] = numberTypes[type];
  const bytes = new Uint8Array(size);
  write(new DataView(bytes.buffer), 0, value);
  return bytes;
}

export const u32 = (value) => number('u32', value);
export const u64 = (value) => number('u64', value);

export function text(value) {
  const bytes = new TextEncoder().encode(value);
  return join([u64(bytes.length), bytes]);
}

export function join(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}

/** @param value a string; `[type, number]`; a list of strings; or `{ of: type, values }` */
export function valueBytes(value) {
  if (typeof value === 'string') return join([u32(8), text(value)]);
  if (Array.isArray(value) && value[0] in numberTypes)
    return join([u32(numberTypes[value[0]][0]), number(value[0], value[1])]);
  if (Array.isArray(value)) return join([u32(9), u32(8), u64(value.length), ...value.map(text)]);
  const { of, values } = value;
  const [type, size, write] = numberTypes[of];
  const bytes = new Uint8Array(size * values.length);
  const view = new DataView(bytes.buffer);
  for (const [i, one] of values.entries()) write(view, i * size, one);
  return join([u32(9), u32(type), u64(values.length), bytes]);
}

/**
 * @param metadata [key, value] pairs, as `valueBytes` takes them
 * @param tensors `{ name, shape, type, data }`: slowest axis first; `type`: a name or a number; `data`: a typed array
 */
export function writeGguf(metadata, tensors, { version = 3, alignment = 32 } = {}) {
  const padded = (size) => Math.ceil(size / alignment) * alignment;
  const parts = [u32(0x46554747), u32(version), u64(tensors.length), u64(metadata.length)];
  for (const [key, value] of metadata) parts.push(text(key), valueBytes(value));
  let offset = 0;
  for (const { name, shape, type, data } of tensors) {
    const sizes = [...shape].reverse().map(u64);
    parts.push(text(name), u32(shape.length), ...sizes, u32(tensorTypes[type] ?? type), u64(offset));
    offset += padded(data.byteLength);
  }
  const header = join(parts);
  const file = new Uint8Array(padded(header.length) + offset);
  file.set(header);
  let place = padded(header.length);
  for (const { data } of tensors) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), place);
    place += padded(data.byteLength);
  }
  return file;
}

const names = [
  ['model.embed_tokens', 'token_embd'],
  ['model.norm', 'output_norm'],
  ['lm_head', 'output'],
  ['model.layers.', 'blk.'],
  ['self_attn.q_proj', 'attn_q'],
  ['self_attn.k_proj', 'attn_k'],
  ['self_attn.v_proj', 'attn_v'],
  ['self_attn.o_proj', 'attn_output'],
  ['self_attn.q_norm', 'attn_q_norm'],
  ['self_attn.k_norm', 'attn_k_norm'],
  ['input_layernorm', 'attn_norm'],
  ['post_attention_layernorm', 'ffn_norm'],
  ['mlp.gate_proj', 'ffn_gate'],
  ['mlp.up_proj', 'ffn_up'],
  ['mlp.down_proj', 'ffn_down'],
];

/** The name that llama.cpp's converter gives to a tensor of a model like Llama. */
export const ggufName = (name, others = []) =>
  [...others, ...names].reduce((changed, [from, to]) => changed.replace(from, to), name);

/** The rows of each head, as llama.cpp's converter orders those of Llama's queries and keys. */
export function paired({ data, shape }, heads) {
  const cols = shape[1] ?? 1;
  const rows = shape[0] / heads;
  const to = new data.constructor(data.length);
  for (let head = 0; head < heads; head++) {
    for (let half = 0; half < 2; half++) {
      for (let j = 0; j < rows / 2; j++) {
        const from = (head * rows + half * (rows / 2) + j) * cols;
        to.set(data.subarray(from, from + cols), (head * rows + 2 * j + half) * cols);
      }
    }
  }
  return { data: to, shape };
}
