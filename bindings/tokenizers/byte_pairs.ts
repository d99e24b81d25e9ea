/** Byte pair encoding as in a tokenizer.json: merges by their ranks, of the letters of a word. */

import type { Steps } from '../engine/steps.js';
import { appendPart, merged, type Part } from './pair_merging.js';
import type { PairTable } from './pair_table.js';
import type { Cut } from './unigram.js';
import { byteToken } from './utf8_bytes.js';

interface BytePairSettings {
  readonly ids: ReadonlyMap<string, number>;
  readonly merges: PairTable;
  /** What is added to letters inside of a word, and to the last one. */
  readonly prefix: string;
  readonly suffix: string;
  readonly unknownId: number | null;
  /** Whether unknown letters that follow each other are one token. */
  readonly fusesUnknown: boolean;
  /** Whether unknown letters are written as their bytes. */
  readonly hasBytes: boolean;
  /** Whether a word that is a token stays one, whatever the merges say. */
  readonly ignoresMerges: boolean;
}

/** Words whose tokens are kept, and their letters. */
const mostKept = 10_000;
const longestKept = 256;

export class BytePairModel {
  readonly #settings: BytePairSettings;
  readonly #known = new Map<string, readonly Cut[]>();

  constructor(settings: BytePairSettings) {
    this.#settings = settings;
  }

  *cut(word: string): Steps<readonly Cut[]> {
    const known = this.#known.get(word);
    if (known) return known;
    const { ids, merges, ignoresMerges } = this.#settings;
    const whole = ignoresMerges ? ids.get(word) : undefined;
    const parts = whole === undefined ? this.#partsOf(word) : [];
    const left = yield* merged(parts, (a, b) => merges.get(a.id, b.id));
    const cuts =
      whole === undefined
        ? left.map(({ begin, end, id }) => ({ begin, end, id }))
        : [{ begin: 0, end: word.length, id: whole }];
    if (word.length > longestKept) return cuts;
    if (this.#known.size >= mostKept) this.#known.clear();
    this.#known.set(word, cuts);
    return cuts;
  }

  /** The letters of a word, or their bytes. A letter that nothing stands for is left out. */
  #partsOf(word: string): Part[] {
    const { ids, prefix, suffix, unknownId, fusesUnknown, hasBytes } = this.#settings;
    const parts: Part[] = [];
    let unknown: { begin: number; end: number } | null = null;
    const flush = () => {
      if (unknown && unknownId !== null) appendPart(parts, unknownId, unknown.begin, unknown.end);
      unknown = null;
    };
    let end = 0;
    for (const letter of word) {
      const begin = end;
      end += letter.length;
      const written = `${begin > 0 ? prefix : ''}${letter}${end === word.length ? suffix : ''}`;
      const id = ids.get(written);
      if (id !== undefined) {
        flush();
        appendPart(parts, id, begin, end);
        continue;
      }
      const bytes = hasBytes ? byteIds(written, ids) : null;
      // As in the original, an unknown letter before these bytes comes after them.
      for (const byte of bytes ?? []) appendPart(parts, byte, begin, end);
      if (bytes || unknownId === null) continue;
      if (unknown && fusesUnknown) (unknown as { end: number }).end = end;
      else {
        flush();
        unknown = { begin, end };
      }
    }
    flush();
    return parts;
  }
}

/** The ids of a text's bytes; null if one of them has none. */
export function byteIds(text: string, ids: ReadonlyMap<string, number>): number[] | null {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => ids.get(byteToken(byte)));
  return bytes.every((id) => id !== undefined) ? bytes : null;
}
