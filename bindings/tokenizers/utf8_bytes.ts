/** Byte tokens, and the text that they decode to. */

import { decodeStrictly, utf8Decoder } from '../values/utf8.js';

/** The token of a byte, such as `<0x0A>`. */
export const byteToken = (byte: number) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;

/** The byte of a byte token; `null` for any other token. */
export function byteOf(token: string): number | null {
  const digits = /^<0x([\dA-Fa-f]{2})>$/.exec(token)?.[1];
  return digits === undefined ? null : Number.parseInt(digits, 16);
}

/**
 * Decodes UTF-8 with one U+FFFD for each invalid byte, as SentencePiece does; a TextDecoder emits a single U+FFFD for a
 * truncated character.
 */
export function textOfBytes(bytes: readonly number[]): string {
  let text = '';
  for (let place = 0; place < bytes.length; ) {
    const length = characterLength(bytes, place);
    text += length === 0 ? '\ufffd' : decodeUtf8(Uint8Array.from(bytes.slice(place, place + length)));
    place += Math.max(1, length);
  }
  return text;
}

/** Length in bytes of the character at an offset; 0 if it is invalid. */
function characterLength(bytes: readonly number[], place: number): number {
  const first = bytes[place] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const character = Uint8Array.from(bytes.slice(place, place + length));
  try {
    return decodeStrictly(character) === '' ? 0 : length;
  } catch {
    return 0;
  }
}

const decodeUtf8 = utf8Decoder({ ignoreBOM: true });
