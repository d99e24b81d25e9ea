/**
 * Reads a text as a decoder writes it, for tokenizers whose rules are those of the source language only: finds the
 * tokens that, joined, give the text.
 */

import { lettersAtOnce, type Steps } from '../engine/steps.js';
import type { Codec, CutText, Token } from './codec.js';

interface Wanted {
  readonly word: string;
  /** The word as `spaced` leaves it: what was written is compared with that. */
  readonly whole: string;
  readonly spaced: (text: string) => string;
}

type Writer = Pick<Codec, 'size' | 'tokenOf' | 'join'>;

/** Marks of places inside a token: the beginning or the inside of a word. */
const bare = (token: string) => token.replace(/^##|\u2581|^Ġ|<\/w>$/g, '').trim();

/** Continues the word before it, which a mark, a word by itself, is not. */
const isPiece = (token: string) => token.startsWith('##');
const isMark = (token: string) => /^[^\p{L}\p{N}#]+$/u.test(token);

/** A decoder may put a space beside a punctuation mark where a writer puts none. */
const squeezed = (text: string) => text.replace(/\s*([^\p{L}\p{N}\s])\s*/gu, '$1');

/** Letters of a word that is looked for: each token of it takes room on the stack. */
const longestWord = 1000;

/** Tokens that are joined for each letter of a word: trying all of their sequences could take time without end. */
const tokensPerLetter = 100;

export class WrittenText {
  readonly #writer: Writer;
  /** By text without marks; of two that are written alike, such as `,` and `##,` after a word, the whole one first. */
  readonly #ids = new Map<string, number[]>();
  #longest = 0;
  /** Tokens that may still be joined for the word that is read. */
  #left = 0;
  /** Tokens that were joined for all words. */
  #joined = 0;

  constructor(writer: Writer) {
    this.#writer = writer;
    for (let id = 0; id < writer.size; id++) {
      const text = bare(writer.tokenOf(id, false) ?? '');
      if (text === '') continue;
      this.#longest = Math.max(this.#longest, text.length);
      this.#ids.set(text, [...(this.#ids.get(text) ?? []), id]);
    }
    const isInside = (id: number) => Number(isPiece(writer.tokenOf(id, false) ?? ''));
    for (const ids of this.#ids.values()) ids.sort((a, b) => isInside(a) - isInside(b));
  }

  /** Word by word; words that no tokens give are unknown. */
  *cut(text: string): Steps<CutText> {
    const plain = text.replaceAll('’', "'");
    const unknownWords: string[] = [];
    const tokens: Token[] = [];
    let pause = this.#joined + lettersAtOnce;
    for (const { 0: word, index } of plain.matchAll(/\S+/g)) {
      if (this.#joined > pause) {
        pause = this.#joined + lettersAtOnce;
        yield;
      }
      const found = word.length > longestWord ? null : this.#readWord(word);
      if (!found) unknownWords.push(text.slice(index, index + word.length));
      for (const token of found ?? []) tokens.push(shifted(token, index));
    }
    return { tokens, unknownWords };
  }

  /** To the letter where that can be, else with the decoder's spaces beside punctuation marks, if there are such. */
  #readWord(word: string): readonly Token[] | null {
    const toTheLetter = this.#readAs(word, (text) => text);
    return toTheLetter || !/[^\p{L}\p{N}]/u.test(word) ? toTheLetter : this.#readAs(word, squeezed);
  }

  #readAs(word: string, spaced: Wanted['spaced']): readonly Token[] | null {
    this.#left = tokensPerLetter * (word.length + 100);
    return this.#read({ word, whole: spaced(word), spaced }, [], 0);
  }

  /** The rest of a word after `before`: longest tokens first; `null` if there are none. */
  #read(wanted: Wanted, before: readonly Token[], begin: number): readonly Token[] | null {
    this.#left -= before.length + 1;
    this.#joined += before.length + 1;
    if (this.#left < 0) return null;
    const { word, whole, spaced } = wanted;
    const written = spaced(this.#writer.join(idsOf(before), false));
    if (begin === word.length) return written === whole ? before : null;
    if (!whole.startsWith(written)) return null;
    for (let end = Math.min(word.length, begin + this.#longest); end > begin; end--) {
      for (const id of this.#ids.get(word.slice(begin, end)) ?? []) {
        const token: Token = { token: this.#writer.tokenOf(id, false) ?? '', id, span: [begin, end] };
        if (isPiece(token.token) && isMark(before.at(-1)?.token ?? '')) continue;
        const found = this.#read(wanted, [...before, token], end);
        if (found) return found;
      }
    }
    return null;
  }
}

const idsOf = (tokens: readonly Token[]) => tokens.map(({ id }) => id);

const shifted = ({ token, id, span }: Token, by: number): Token => ({
  token,
  id,
  span: span && [span[0] + by, span[1] + by],
});
