// Tiny random models whose tokens write bytes, as those of language models do: byte-level BPE, or SentencePiece's pieces with
// a token for each byte. Some tokens have several bytes, and one ends a string and begins the next.

import { tinyConfig, tinyModel } from './tiny_model.mjs';

const printable = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
let others = 0;
const letters = Array.from({ length: 256 }, (_, byte) =>
  String.fromCharCode(printable(byte) ? byte : 256 + others++),
);
const lettersOf = (text) => Array.from(new TextEncoder().encode(text), (byte) => letters[byte]).join('');

export const words = [
  ...[
    '{"',
    '": ',
    '",',
    '", "',
    '"}',
    '":',
    '[]',
    '{}',
    '}}',
    ' true',
    'null',
    ' "',
    '["',
    '\n  ',
    '\n',
    '12',
    '00',
  ],
  ...[
    'the',
    ' the',
    ' and',
    'ing',
    'name',
    'value',
    'é',
    'ü',
    '日本',
    '本',
    '\\u',
    '\\"',
    'abc',
    ' 1',
    '-',
    '.5',
  ],
];
const specials = ['<pad>', '<unk>', '<s>', '</s>', '<|im_start|>', '<|im_end|>'];
const merged = [...new Set(words)].filter((word) => new TextEncoder().encode(word).length > 1);

const added = (contents) =>
  contents.map((content, id) => ({
    ...{ id, content, special: true },
    ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
  }));

/** A tokenizer.json of GPT-2's kind. It reads texts byte by byte. */
export const byteLevel = {
  version: '1.0',
  added_tokens: added(specials),
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
  post_processor: null,
  decoder: { type: 'ByteLevel' },
  model: {
    type: 'BPE',
    vocab: Object.fromEntries(
      [...specials, ...letters, ...merged.map(lettersOf)].map((token, id) => [token, id]),
    ),
    merges: [],
  },
};

/** One of Llama's kind: spaces are marks, and what is no piece is written in bytes. */
export const pieces = {
  version: '1.0',
  added_tokens: added(specials),
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: '\u2581' },
      { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' },
    ],
  },
  pre_tokenizer: null,
  post_processor: null,
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '\u2581' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
  model: {
    type: 'BPE',
    byte_fallback: true,
    unk_token: '<unk>',
    vocab: Object.fromEntries(
      [
        ...specials,
        ...Array.from({ length: 256 }, (_, b) => `<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`),
        ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i).replace(' ', '\u2581')),
        ...merged.map((word) => word.replaceAll(' ', '\u2581')),
      ].map((token, id) => [token, id]),
    ),
    merges: [],
  },
};

/**
 * The files of such a model.
 *
 * @param encoder the number of layers of its encoder; 0: a decoder alone
 * @param words how many of the vocabulary's tokens there are; default: all
 */
export function byteModel({ tokenizer = byteLevel, encoder = 0, config = {}, seed = 5, others = {} } = {}) {
  const vocab = Object.keys(tokenizer.model.vocab).length;
  const files = tinyModel({
    seed,
    tokenizer: false,
    config: {
      ...tinyConfig,
      ...{ num_encoder_layers: encoder, vocab_size: vocab, max_length: 4000, tie_embeddings: false },
      ...config,
    },
  });
  const encode = (value) => new TextEncoder().encode(JSON.stringify(value));
  files.set('tokenizer.json', encode(tokenizer));
  for (const [name, content] of Object.entries(others)) files.set(name, encode(content));
  return files;
}
