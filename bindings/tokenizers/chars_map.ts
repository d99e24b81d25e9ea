/**
 * SentencePiece's precompiled character map, which replaces runs of UTF-8. The keys are in a double-array trie (Aoe
 * 1989, in the layout of darts-clone) of 32-bit nodes; each points to a NUL-terminated replacement behind the trie.
 */

import { fail } from '../values/errors.js';
import { utf8Decoder } from '../values/utf8.js';

export class CharsMap {
  readonly #units: Uint32Array;
  readonly #texts: Uint8Array;

  /**
   * @param file name for messages
   * @throws TransformerError `bad_checkpoint`
   */
  constructor(bytes: Uint8Array, file: string) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = bytes.length >= 4 ? view.getUint32(0, true) : 0;
    if (size === 0 || size % 4 !== 0 || size > bytes.length - 4) {
      fail('bad_checkpoint', `${file}: the character map is truncated or its size is wrong`);
    }
    this.#units = Uint32Array.from({ length: size / 4 }, (_, i) => view.getUint32(4 + 4 * i, true));
    this.#texts = bytes.subarray(4 + size);
  }

  /** The longest key at an offset of a UTF-8 text: its length and replacement; `null` if there is none. */
  longestAt(text: Uint8Array, begin: number): { length: number; becomes: string } | null {
    let found: { length: number; value: number } | null = null;
    for (const match of this.#keysAt(text, begin)) found = match;
    return found && { length: found.length, becomes: this.#textAt(found.value) };
  }

  /** The replacement of the shortest key that is a prefix of `text`; `null` if there is none. */
  shortest(text: Uint8Array): string | null {
    for (const { value } of this.#keysAt(text, 0)) return this.#textAt(value);
    return null;
  }

  *#keysAt(text: Uint8Array, begin: number): Generator<{ length: number; value: number }> {
    const units = this.#units;
    let unit = units[0] ?? 0;
    let node = offsetOf(unit);
    for (let place = begin; place < text.length; place++) {
      const byte = text[place] ?? 0;
      node ^= byte;
      // A node outside of a damaged array counts as a mismatch.
      unit = units[node] ?? 0;
      if ((unit & 0x800000ff) !== byte) return;
      node ^= offsetOf(unit);
      const isKey = ((unit >>> 8) & 1) === 1;
      if (isKey) yield { length: place + 1 - begin, value: (units[node] ?? 0) & 0x7fffffff };
    }
  }

  #textAt(begin: number): string {
    const end = this.#texts.indexOf(0, begin);
    return decodeUtf8(this.#texts.subarray(begin, end < 0 ? undefined : end));
  }
}

const offsetOf = (unit: number) => (unit >>> 10) << ((unit & 0x200) >>> 6);
const decodeUtf8 = utf8Decoder({ ignoreBOM: true });
