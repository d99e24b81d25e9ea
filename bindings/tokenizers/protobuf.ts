/**
 * Reads protobuf's wire format (https://protobuf.dev/programming-guides/encoding/) without a schema. The file is
 * untrusted, so every length is checked against the bytes that exist.
 */

import { fail } from '../values/errors.js';
import { decodeStrictly } from '../values/utf8.js';

/** A field as encoded in the file: a number, or bytes that may be text or a message. */
export interface ProtobufField {
  readonly number: number;
  /** Value of a varint; 0 for other kinds. */
  readonly value: number;
  /** Bytes of a length-delimited or fixed-size field; empty for a varint. */
  readonly bytes: Uint8Array;
}

const kVarint = 0;
const kFixed64 = 1;
const kBytes = 2;
const kFixed32 = 5;

/**
 * The fields of a message, in order.
 *
 * @param file name for messages
 * @throws TransformerError `bad_checkpoint` if a field is truncated or malformed.
 */
export function* fieldsOf(message: Uint8Array, file: string): Generator<ProtobufField> {
  const none = message.subarray(0, 0);
  let place = 0;
  const broken = (what: string) =>
    fail('bad_checkpoint', `${file} is not a SentencePiece model, or is damaged: ${what} at byte ${place}`);
  const varint = () => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = message[place++] ?? broken('the file ends inside a number');
      // Numbers above 2^53 lose their last digits: negative ones, none of which is a length or has a meaning here.
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return broken('a number of more than ten bytes');
  };
  const take = (length: number) => {
    if (length > message.length - place) broken(`a field of ${length} bytes reaches beyond the end`);
    place += length;
    return message.subarray(place - length, place);
  };
  while (place < message.length) {
    const tag = varint();
    const [number, kind] = [Math.floor(tag / 8), tag % 8];
    if (number === 0) broken('field number 0');
    if (kind === kVarint) yield { number, value: varint(), bytes: none };
    else if (kind === kBytes) yield { number, value: 0, bytes: take(varint()) };
    else if (kind === kFixed32) yield { number, value: 0, bytes: take(4) };
    else if (kind === kFixed64) yield { number, value: 0, bytes: take(8) };
    else broken(`a field of unknown kind ${kind}`);
  }
}

export function floatOf({ bytes }: ProtobufField): number {
  if (bytes.length !== 4) return Number.NaN;
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, true);
}

/** @throws TransformerError `bad_checkpoint` for invalid UTF-8. */
export function textOf({ bytes }: ProtobufField, file: string): string {
  try {
    return decodeStrictly(bytes);
  } catch {
    return fail(
      'bad_checkpoint',
      `${file} is not a SentencePiece model, or is damaged: a string in it is not UTF-8`,
    );
  }
}
