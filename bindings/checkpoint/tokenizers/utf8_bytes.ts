/** Tokens that stand for one byte each, and the text of such bytes. */

/** The token of a byte, such as `<0x0A>`. */
export const byteToken = (byte: number) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;

/** The byte that a token stands for; `null` for any other token. */
export function byteOf(token: string): number | null {
  const digits = /^<0x([\dA-Fa-f]{2})>$/.exec(token)?.[1];
  return digits === undefined ? null : Number.parseInt(digits, 16);
}

/**
 * Decodes bytes as SentencePiece does: each byte that is not part of a character becomes U+FFFD, whereas a TextDecoder
 * makes one U+FFFD of several bytes that begin a character.
 */
export function textOfBytes(bytes: readonly number[]): string {
  let text = '';
  for (let place = 0; place < bytes.length; ) {
    const length = characterLength(bytes, place);
    text += length === 0 ? '\ufffd' : utf8.decode(Uint8Array.from(bytes.slice(place, place + length)));
    place += Math.max(1, length);
  }
  return text;
}

/** The length in bytes of the character at a position; 0 if there is none. */
function characterLength(bytes: readonly number[], place: number): number {
  const first = bytes[place] as number;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const character = Uint8Array.from(bytes.slice(place, place + length));
  try {
    return strict.decode(character) === '' ? 0 : length;
  } catch {
    return 0;
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
