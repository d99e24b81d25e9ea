/**
 * Where the tokenizer library departs from what Python computes from the same tokenizer.json: each of these takes the place
 * of one of its steps.
 */

import { fail } from '../../engine/errors.js';
import { normalizeAsBert } from './bert_normalizer.js';
import { CharsMap } from './chars_map.js';
import type { Library, LibraryDecoder, LibraryNormalizer, LibraryPreTokenizer } from './library.js';
import { byteOf, textOfBytes } from './utf8_bytes.js';

/** @throws TransformerError `bad_checkpoint`, `unsupported` */
export function correct(
  { normalizer, pre_tokenizer: preTokenizer, decoder, model }: Library,
  file: string,
): void {
  if (normalizer) correctNormalizer(normalizer, file);
  if (preTokenizer) correctPreTokenizer(preTokenizer);
  if (decoder) correctDecoder(decoder);
  if (model.config.type === 'Unigram' && model.config.byte_fallback === true) {
    fail('unsupported', `${file} wants a unigram model that falls back to bytes (byte_fallback)`);
  }
}

function correctNormalizer(normalizer: LibraryNormalizer, file: string): void {
  for (const part of normalizer.normalizers ?? []) if (part) correctNormalizer(part, file);
  const { type, precompiled_charsmap: charsMap } = normalizer.config;
  // It stands NFKC in for every map.
  if (type === 'Precompiled' && typeof charsMap === 'string' && charsMap !== '') {
    normalizer.normalize = normalizerOf(new CharsMap(fromBase64(charsMap, file), file));
  }
  // It knows no character beyond the first 65536, and lets the end of a word decide how a sigma is written.
  if (type === 'BertNormalizer') normalizer.normalize = (text) => normalizeAsBert(text, normalizer.config);
}

/** Python's fast tokenizers ask the map for what a reader sees as one character, then for the parts of that. */
function normalizerOf(charsMap: CharsMap): (text: string) => string {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const encoder = new TextEncoder();
  const becomes = (part: string) => charsMap.shortest(encoder.encode(part));
  // Longer ones are not looked up whole.
  const isShort = (grapheme: string) => encoder.encode(grapheme).length < 6;
  return (text) => {
    let normalized = '';
    for (const { segment } of segmenter.segment(text)) {
      const whole = isShort(segment) ? becomes(segment) : null;
      normalized += whole ?? Array.from(segment, (character) => becomes(character) ?? character).join('');
    }
    return normalized;
  };
}

function correctPreTokenizer(preTokenizer: LibraryPreTokenizer): void {
  for (const part of preTokenizer.tokenizers ?? []) if (part) correctPreTokenizer(part);
  // JavaScript's \s is not Unicode's white space: it has U+FEFF, and lacks U+0085.
  if (preTokenizer.config?.type === 'ByteLevel') preTokenizer.pattern = wordPattern;
}

/** How GPT-2 cuts a text into words before bytes are joined. */
const wordPattern =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

function correctDecoder(decoder: LibraryDecoder): void {
  for (const part of decoder.decoders ?? []) if (part) correctDecoder(part);
  const { type, replacement, prepend_scheme: scheme } = decoder.config;
  if (type === 'ByteFallback') decoder.decode_chain = decodeBytes;
  // All marks before the first word go, and none where none was added.
  if (type === 'Metaspace') {
    const mark = typeof replacement === 'string' ? replacement : '\u2581';
    decoder.decode_chain = (tokens) =>
      tokens.map((token, i) => token.replaceAll(mark, i === 0 && scheme !== 'never' ? '' : ' '));
  }
}

function decodeBytes(tokens: readonly string[]): string[] {
  const decoded: string[] = [];
  let bytes: number[] = [];
  const flush = () => {
    if (bytes.length > 0) decoded.push(textOfBytes(bytes));
    bytes = [];
  };
  for (const token of tokens) {
    const byte = byteOf(token);
    if (byte !== null) {
      bytes.push(byte);
      continue;
    }
    flush();
    decoded.push(token);
  }
  flush();
  return decoded;
}

function fromBase64(text: string, file: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return fail('bad_checkpoint', `${file}: precompiled_charsmap is not base64`);
  }
}
