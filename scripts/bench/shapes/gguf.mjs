// A GGUF file of Qwen3's shape with random weights, which llama.cpp and this engine read as it is.

import { open } from 'node:fs/promises';
import { randomNumbers } from '../weights.mjs';

const magic = 0x46554747;
const alignment = 32;

/** ggml's numbers for types, and the bytes of a block of 32 integers with its scale in float16. */
const types = { F32: { number: 0 }, Q4_0: { number: 2, block: 18 }, Q8_0: { number: 8, block: 34 } };

/** The integers of 8 bits times this are from -0.05 to 0.05: 0.0004 in float16. */
const scaleOf = { Q8_0: 0x068e, Q4_0: 0x1e66 };

class Bytes {
  #parts = [];

  u32(value) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    this.#parts.push(bytes);
    return this;
  }

  u64(value) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    this.#parts.push(bytes);
    return this;
  }

  f32(value) {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    this.#parts.push(bytes);
    return this;
  }

  text(value) {
    const bytes = Buffer.from(value);
    this.u64(bytes.length);
    this.#parts.push(bytes);
    return this;
  }

  joined() {
    return Buffer.concat(this.#parts);
  }
}

/**
 * Letters that stand for the bytes of ASCII, as GPT-2's vocabulary has them, one merged token, and names for all others:
 * bytes beyond would end a random text within a character, where wllama fails.
 */
function vocabularyOf(size) {
  let others = 256;
  const letters = Array.from({ length: 128 }, (_, byte) =>
    String.fromCodePoint(byte > 32 && byte < 127 ? byte : others++),
  );
  return Array.from({ length: size }, (_, id) => letters[id] ?? (id === 256 ? '!!' : `<${id}>`));
}

/** As many tokens and merges as those of a real file, which a text hardly meets: for the time to load them. */
function mergedVocabulary(size) {
  const tokens = Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(byte > 32 && byte < 127 ? byte : 256 + byte),
  );
  const known = new Set(tokens);
  const merges = [];
  const random = randomNumbers(4 * size, 1, 7);
  for (let i = 0; tokens.length < size - 1; i += 2) {
    const [left, right] = [i, i + 1].map((at) => {
      const part = Math.abs(random[at % random.length]);
      return tokens[Math.floor(part * Math.min(tokens.length, 3000 + (i >> 8)))];
    });
    if (left === undefined || right === undefined || known.has(left + right) || (left + right).length > 16)
      continue;
    known.add(left + right);
    tokens.push(left + right);
    merges.push(`${left} ${right}`);
  }
  return { tokens: [...tokens, '<|end|>'], merges };
}

function metadataOf({ d, ffn, layers, heads, keys, dHead, vocab }, type, hasMerges) {
  const { tokens, merges } = hasMerges
    ? mergedVocabulary(vocab)
    : { tokens: vocabularyOf(vocab), merges: ['! !'] };
  const bytes = new Bytes();
  const entries = [];
  const add = (key, write) => entries.push(() => write(bytes.text(key)));
  const count = (key, value) => add(key, (to) => to.u32(4).u32(value));
  const real = (key, value) => add(key, (to) => to.u32(6).f32(value));
  const text = (key, value) => add(key, (to) => to.u32(8).text(value));
  const texts = (key, values) =>
    add(key, (to) => {
      to.u32(9).u32(8).u64(values.length);
      for (const value of values) to.text(value);
    });
  text('general.architecture', 'qwen3');
  count('general.file_type', type === 'Q8_0' ? 7 : 2);
  count('qwen3.block_count', layers);
  count('qwen3.context_length', 4096);
  count('qwen3.embedding_length', d);
  count('qwen3.feed_forward_length', ffn);
  count('qwen3.attention.head_count', heads);
  count('qwen3.attention.head_count_kv', keys);
  count('qwen3.attention.key_length', dHead);
  count('qwen3.attention.value_length', dHead);
  real('qwen3.attention.layer_norm_rms_epsilon', 1e-6);
  real('qwen3.rope.freq_base', 1e6);
  text('tokenizer.ggml.model', 'gpt2');
  text('tokenizer.ggml.pre', 'qwen2');
  texts('tokenizer.ggml.tokens', tokens);
  add('tokenizer.ggml.token_type', (to) => {
    to.u32(9).u32(5).u64(vocab);
    for (let id = 0; id < vocab; id++) to.u32(1);
  });
  texts('tokenizer.ggml.merges', merges);
  count('tokenizer.ggml.eos_token_id', vocab - 1);
  for (const write of entries) write();
  return { count: entries.length, bytes: bytes.joined() };
}

/** Of both files the table of tokens has 8 bits, as in files that llama.cpp's own tool rounds to 4 bits it has 6. */
function tensorsOf({ d, ffn, layers, heads, keys, dHead, vocab }, type) {
  const tensors = [{ name: 'token_embd', shape: [vocab, d], type: 'Q8_0' }];
  const matrix = (name, out, into) => tensors.push({ name, shape: [out, into], type });
  const scale = (name, size) => tensors.push({ name, shape: [size], type: 'F32' });
  for (let layer = 0; layer < layers; layer++) {
    const block = `blk.${layer}`;
    scale(`${block}.attn_norm`, d);
    matrix(`${block}.attn_q`, heads * dHead, d);
    matrix(`${block}.attn_k`, keys * dHead, d);
    matrix(`${block}.attn_v`, keys * dHead, d);
    scale(`${block}.attn_q_norm`, dHead);
    scale(`${block}.attn_k_norm`, dHead);
    matrix(`${block}.attn_output`, d, heads * dHead);
    scale(`${block}.ffn_norm`, d);
    matrix(`${block}.ffn_gate`, ffn, d);
    matrix(`${block}.ffn_up`, ffn, d);
    matrix(`${block}.ffn_down`, d, ffn);
  }
  scale('output_norm', d);
  return tensors;
}

const padded = (size) => Math.ceil(size / alignment) * alignment;

function bytesOf({ shape, type }) {
  const size = shape.reduce((product, axis) => product * axis, 1);
  return type === 'F32' ? 4 * size : (size / 32) * types[type].block;
}

/** Blocks of random integers, over and over. */
function blocksOf(type) {
  const { block } = types[type];
  const bytes = Buffer.from(randomNumbers(1 << 18, 127.99, 1).map((number) => number & 255));
  const blocks = Buffer.alloc(block * Math.floor(bytes.length / (block - 2)));
  for (let i = 0; i < blocks.length / block; i++) {
    blocks.writeUInt16LE(scaleOf[type], i * block);
    bytes.copy(blocks, i * block + 2, i * (block - 2), (i + 1) * (block - 2));
  }
  return blocks;
}

/**
 * @param type of the matrices: 'Q8_0' or 'Q4_0'
 * @param hasMerges whether the vocabulary is as large as a real one's, with merges
 * @returns the bytes of the file
 */
export async function writeGguf(path, size, type, hasMerges = false) {
  const tensors = tensorsOf(size, type);
  const metadata = metadataOf(size, type, hasMerges);
  const table = new Bytes();
  let offset = 0;
  for (const tensor of tensors) {
    table.text(`${tensor.name}.weight`).u32(tensor.shape.length);
    for (const axis of tensor.shape.toReversed()) table.u64(axis);
    table.u32(types[tensor.type].number).u64(offset);
    offset += padded(bytesOf(tensor));
  }
  const first = new Bytes().u32(magic).u32(3).u64(tensors.length).u64(metadata.count).joined();
  const header = Buffer.concat([first, metadata.bytes, table.joined()]);
  const file = await open(path, 'w');
  await file.write(header);
  await file.write(Buffer.alloc(padded(header.length) - header.length));
  const patterns = { Q8_0: blocksOf('Q8_0'), Q4_0: blocksOf('Q4_0') };
  for (const tensor of tensors) {
    const bytes = bytesOf(tensor);
    const pattern =
      patterns[tensor.type] ?? Buffer.from(randomNumbers(bytes / 4, 0.1, 1).map((x) => x + 1).buffer);
    for (let left = bytes; left > 0; left -= pattern.length) await file.write(pattern.subarray(0, left));
    await file.write(Buffer.alloc(padded(bytes) - bytes));
  }
  await file.close();
  return padded(header.length) + offset;
}
