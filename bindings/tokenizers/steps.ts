/**
 * The steps of a tokenizer.json as functions: the library's, or our own where the library's result differs from
 * Python's.
 */

import type { JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { normalizeAsBert } from './bert_normalizer.js';
import { lettersOfText } from './byte_letters.js';
import { CharsMap } from './chars_map.js';
import type { Rule } from './clean_up.js';
import type { AddedToken } from './codec.js';
import { makeDecoder, makeNormalizer, makePreTokenizer } from './library.js';
import { byteOf, textOfBytes } from './utf8_bytes.js';

/** An entry of a tokenizer.json; `null` for a step that is omitted. */
export type Entry = JsonObject | null;

export type Normalize = (text: string) => string;

/** @param section index of the text among those between added tokens */
export type PreTokenize = (text: string, section: number) => string[];

export type Decode = (tokens: readonly string[]) => string[];

/** @throws TransformerError `bad_checkpoint` */
export function normalizerOf(entry: Entry, file: string): Normalize {
  const normalize = inSteps(
    normalizersOf(entry, file),
    (text: string) => text.length,
    `${file}: the normalizer`,
  );
  return (text) => {
    checkMarks(text);
    return normalize(text);
  };
}

/** Combining marks of one letter: JavaScript sorts them in the square of their number. */
const mostMarks = 10_000;

function checkMarks(text: string): void {
  if (text.length <= mostMarks) return;
  for (const { 0: run } of text.matchAll(/\p{M}+/gu))
    if (run.length > mostMarks)
      fail(
        'invalid_argument',
        `the text has ${run.length} combining marks in a row; at most ${mostMarks} are supported`,
      );
}

function normalizersOf(entry: Entry, file: string): Normalize[] {
  if (entry === null) return [];
  if (entry.type === 'Sequence')
    return entriesOf(entry.normalizers).flatMap((part) => normalizersOf(part, file));
  return [singleNormalizer(entry, file)];
}

function singleNormalizer(entry: JsonObject, file: string): Normalize {
  const { type, precompiled_charsmap: charsMap } = entry;
  // The library ignores the map and applies NFKC instead.
  if (type === 'Precompiled' && typeof charsMap === 'string' && charsMap !== '')
    return mapperOf(new CharsMap(fromBase64(charsMap, file), file));
  // The library's version skips characters beyond U+FFFF, and its sigma depends on the position in the word.
  if (type === 'BertNormalizer') return (text) => normalizeAsBert(text, entry);
  const normalizer = makeNormalizer(entry);
  return (text) => normalizer.normalize(text);
}

/** Letters that all steps together may make of one; NFKC makes up to 18. */
const mostGrowth = 100;

/** Steps as one; it stops if they multiply what they are given. */
function inSteps<T>(steps: readonly ((given: T) => T)[], lengthOf: (made: T) => number, who: string) {
  return (given: T): T => {
    const length = lengthOf(given);
    return steps.reduce((before, step) => {
      const made = step(before);
      const letters = lengthOf(made);
      if (letters <= mostGrowth * (length + 100)) return made;
      return fail(
        'unsupported',
        `${who} makes ${letters} characters of ${length}; at most ${mostGrowth} for each are supported`,
      );
    }, given);
  };
}

/** The letters of several texts, each counted with one more: a text without letters takes memory, too. */
const lengthOfAll = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length + 1, 0);

/** Python's fast tokenizers look up whole grapheme clusters first, then the characters in them. */
function mapperOf(charsMap: CharsMap): Normalize {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const encoder = new TextEncoder();
  const becomes = (part: string) => charsMap.shortest(encoder.encode(part));
  // Longer clusters are not looked up as a whole.
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

export function preTokenizerOf(entry: Entry, file: string): PreTokenize {
  const parts = preTokenizersOf(entry);
  return (text, section) => {
    const steps = parts.map((cut) => (words: string[]) => words.flatMap((word) => cut(word, section)));
    return inSteps(steps, lengthOfAll, `${file}: the pre_tokenizer`)([text]);
  };
}

function preTokenizersOf(entry: Entry): PreTokenize[] {
  if (entry === null) return [];
  if (entry.type === 'Sequence') return entriesOf(entry.pretokenizers).flatMap(preTokenizersOf);
  return [singlePreTokenizer(entry)];
}

function singlePreTokenizer(entry: JsonObject): PreTokenize {
  if (entry.type === 'ByteLevel') return byteLevel(entry);
  const preTokenizer = makePreTokenizer(entry);
  return (text, section) => preTokenizer.pre_tokenize(text, { section_index: section });
}

/**
 * GPT-2's rule for splitting a text into words. The library's pattern uses JavaScript's \s, which differs from
 * Unicode's white space: it includes U+FEFF and lacks U+0085.
 */
const wordPattern =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

function byteLevel({ add_prefix_space: prefixes, use_regex: cuts }: JsonObject): PreTokenize {
  return (text) => {
    const whole = prefixes && !text.startsWith(' ') ? ` ${text}` : text;
    const words = (cuts ?? true) ? (whole.match(wordPattern) ?? []) : [whole];
    return words.map(lettersOfText);
  };
}

/** Whether words are written in byte characters. */
export function hasByteLevel(preTokenizer: Entry): boolean {
  if (preTokenizer?.type !== 'Sequence') return preTokenizer?.type === 'ByteLevel';
  return entriesOf(preTokenizer.pretokenizers).some(hasByteLevel);
}

/** @param added tokens that represent themselves */
export function decoderOf(entry: JsonObject, added: readonly AddedToken[], file: string): Decode {
  const decode = inSteps<string[]>(decodersOf(entry, added), lengthOfAll, `${file}: the decoder`);
  return (tokens) => decode([...tokens]);
}

function decodersOf(entry: Entry, added: readonly AddedToken[]): Decode[] {
  if (entry === null) return [];
  if (entry.type === 'Sequence') return entriesOf(entry.decoders).flatMap((part) => decodersOf(part, added));
  return [singleDecoder(entry, added)];
}

function singleDecoder(entry: JsonObject, added: readonly AddedToken[]): Decode {
  switch (entry.type) {
    // The library merges several invalid bytes into one U+FFFD.
    case 'ByteFallback':
      return decodeBytes;
    // The library strips a single mark before the first word even if none was inserted.
    case 'Metaspace': {
      const mark = typeof entry.replacement === 'string' ? entry.replacement : '\u2581';
      const first = entry.prepend_scheme === 'never' ? ' ' : '';
      return (tokens) => tokens.map((token, i) => token.replaceAll(mark, i === 0 ? first : ' '));
    }
    default: {
      const decoder = makeDecoder(entry);
      decoder.added_tokens = added;
      return (tokens) => decoder.decode_chain(tokens);
    }
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

/** The entries of a sequence. */
export function entriesOf(list: unknown): Entry[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw new Error('a Sequence has no list of steps');
  return list;
}

function fromBase64(text: string, file: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return fail('bad_checkpoint', `${file}: precompiled_charsmap is not base64`);
  }
}

/** The replacements that a decoder makes. */
export function rulesOf(decoder: Entry): Rule[] {
  if (!decoder) return [];
  const { type, pattern, content } = decoder;
  const from =
    typeof pattern === 'object' && pattern !== null && 'String' in pattern ? pattern.String : undefined;
  const isRule = type === 'Replace' && typeof from === 'string' && typeof content === 'string';
  return [...(isRule ? [[from, content] as const] : []), ...entriesOf(decoder.decoders).flatMap(rulesOf)];
}
