/** Parses a SentencePiece model file: fields of `ModelProto`, by the numbers in its schema. */

import { fail } from '../values/errors.js';
import { fieldsOf, floatOf, type ProtobufField, textOf } from './protobuf.js';
import { longestPiece } from './unigram.js';

type PieceKind = 'normal' | 'unknown' | 'control' | 'user' | 'unused' | 'byte';

/** An entry of the vocabulary; its id is its index. */
export interface Piece {
  readonly text: string;
  /** Log-probability in a unigram model; negated merge rank in BPE. */
  readonly score: number;
  readonly kind: PieceKind;
}

/** How a text is normalized before it is split. */
interface NormalizerSpec {
  /** Precompiled character map; empty if characters are not changed. */
  readonly charsMap: Uint8Array;
  /** Whether to insert a space before the first word, so that it looks like a word inside of a text. */
  readonly addDummyPrefix: boolean;
  /** Whether to collapse spaces between words and remove them at the ends. */
  readonly removeExtraWhitespaces: boolean;
  /** Whether to write spaces as U+2581. */
  readonly escapeWhitespaces: boolean;
}

export interface SentencePieceFile {
  readonly name: string;
  readonly algorithm: 'unigram' | 'bpe';
  readonly pieces: readonly Piece[];
  readonly normalizer: NormalizerSpec;
  /** Whether characters missing from the vocabulary are split into bytes. */
  readonly byteFallback: boolean;
  /** Whether words end with the space instead of beginning with it. */
  readonly whitespaceAsSuffix: boolean;
  readonly unknownId: number;
  /** Replaces the unknown token in decoded text. */
  readonly unknownSurface: string;
}

const kinds: readonly (PieceKind | undefined)[] = [
  undefined,
  'normal',
  'unknown',
  'control',
  'user',
  'unused',
  'byte',
];

/**
 * @param name of the file, for messages
 * @throws TransformerError `bad_checkpoint`; `unsupported` for word and character models.
 */
export function parseSentencePiece(bytes: Uint8Array, name: string): SentencePieceFile {
  const pieces: Piece[] = [];
  let trainer: Uint8Array = bytes.subarray(0, 0);
  let normalizer = trainer;
  for (const field of fieldsOf(bytes, name)) {
    if (field.number === 1) pieces.push(pieceOf(field, pieces.length, name));
    else if (field.number === 2) trainer = field.bytes;
    else if (field.number === 3) normalizer = field.bytes;
    else if (field.number === 5 && hasCharsMap(field, name)) {
      fail('unsupported', `${name} changes decoded text (denormalizer_spec), which is not supported`);
    }
  }
  const unknownId = pieces.findIndex(({ kind }) => kind === 'unknown');
  if (unknownId < 0) fail('bad_checkpoint', `${name} is not a SentencePiece model: it has no unknown token`);
  checkPieces(pieces, name);
  return { name, pieces, unknownId, normalizer: normalizerOf(normalizer, name), ...trainerOf(trainer, name) };
}

function pieceOf({ bytes }: ProtobufField, id: number, name: string): Piece {
  let [text, score, kind] = ['', 0, 1];
  for (const field of fieldsOf(bytes, name)) {
    if (field.number === 1) text = textOf(field, name);
    else if (field.number === 2) score = floatOf(field);
    else if (field.number === 3) kind = field.value;
  }
  const known = kinds[kind] ?? fail('bad_checkpoint', `${name}: piece ${id} is of unknown kind ${kind}`);
  if (text === '') fail('bad_checkpoint', `${name}: piece ${id} is empty`);
  if (text.length > longestPiece)
    fail(
      'bad_checkpoint',
      `${name}: piece ${id} has ${text.length} characters; at most ${longestPiece} are supported`,
    );
  if (!Number.isFinite(score)) fail('bad_checkpoint', `${name}: the score of piece ${id} is not a number`);
  return { text, score, kind: known };
}

function checkPieces(pieces: readonly Piece[], name: string): void {
  const seen = new Set<string>();
  for (const { text } of pieces) {
    if (seen.has(text)) fail('bad_checkpoint', `${name} has the piece ${JSON.stringify(text)} twice`);
    seen.add(text);
  }
}

function trainerOf(bytes: Uint8Array, name: string) {
  let [algorithm, byteFallback, whitespaceAsSuffix, unknownSurface] = [1, false, false, ' \u2047 '];
  for (const field of fieldsOf(bytes, name)) {
    if (field.number === 3) algorithm = field.value;
    else if (field.number === 24) whitespaceAsSuffix = field.value !== 0;
    else if (field.number === 35) byteFallback = field.value !== 0;
    else if (field.number === 44) unknownSurface = textOf(field, name);
  }
  const known = { 1: 'unigram', 2: 'bpe' } as const;
  if (algorithm === 1 || algorithm === 2)
    return { algorithm: known[algorithm], byteFallback, whitespaceAsSuffix, unknownSurface };
  if (algorithm === 3 || algorithm === 4) {
    const what = algorithm === 3 ? 'words' : 'characters';
    fail(
      'unsupported',
      `${name} is a SentencePiece model of ${what}; only unigram and BPE models are supported`,
    );
  }
  return fail('bad_checkpoint', `${name} has the unknown model type ${algorithm}`);
}

function normalizerOf(bytes: Uint8Array, name: string): NormalizerSpec {
  let charsMap = bytes.subarray(0, 0);
  let [addDummyPrefix, removeExtraWhitespaces, escapeWhitespaces] = [true, true, true];
  for (const field of fieldsOf(bytes, name)) {
    if (field.number === 2) charsMap = field.bytes;
    else if (field.number === 3) addDummyPrefix = field.value !== 0;
    else if (field.number === 4) removeExtraWhitespaces = field.value !== 0;
    else if (field.number === 5) escapeWhitespaces = field.value !== 0;
  }
  return { charsMap, addDummyPrefix, removeExtraWhitespaces, escapeWhitespaces };
}

function hasCharsMap({ bytes }: ProtobufField, name: string): boolean {
  return normalizerOf(bytes, name).charsMap.length > 0;
}
