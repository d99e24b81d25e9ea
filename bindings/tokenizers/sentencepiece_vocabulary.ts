/** The tokens of a SentencePiece model by the ids of its family, and the tokens that are never split. */

import type { AddedToken } from './codec.js';
import { LongestMatch } from './longest_match.js';
import { isWord } from './sections.js';
import type { SentencePiece, TextPiece } from './sentencepiece.js';

/** A model and the ids of its tokens. */
export interface Side {
  readonly model: SentencePiece;
  /** The token of each id; undefined for unused ids. */
  readonly tokens: readonly (string | undefined)[];
  readonly unknownId: number;
  idOfPiece(piece: TextPiece): number;
  readonly added: readonly AddedToken[];
  /** Whether a text that contains added tokens is split like any other. */
  readonly isText?: true;
}

/** A side, indexed for lookups. */
export class Vocabulary {
  readonly side: Side;
  readonly #ids = new Map<string, number>();
  readonly #added: ReadonlyMap<string, AddedToken>;
  readonly #addedIds: ReadonlyMap<number, AddedToken>;
  readonly #match: LongestMatch;

  constructor(side: Side) {
    this.side = side;
    this.#added = new Map(side.added.map((token) => [token.content, token]));
    this.#addedIds = new Map(side.added.map((token) => [token.id, token]));
    this.#match = LongestMatch.of(side.isText ? [] : this.#added.keys());
    for (const [id, token] of side.tokens.entries()) if (token !== undefined) this.#ids.set(token, id);
    for (const { id, content } of side.added) this.#ids.set(content, id);
  }

  get size(): number {
    return this.side.added.reduce((size, { id }) => Math.max(size, id + 1), this.side.tokens.length);
  }

  addedOf(id: number): AddedToken | null {
    return this.#addedIds.get(id) ?? null;
  }

  tokenOf(id: number): string | null {
    return this.#addedIds.get(id)?.content ?? this.side.tokens[id] ?? null;
  }

  idOf(token: string): number | null {
    return this.#ids.get(token) ?? null;
  }

  /** Splits a text into added tokens and the text between them. */
  *partsOf(text: string): Generator<{ begin: number; end: number; token: AddedToken | null }> {
    const tokenAt = this.#match.in(text);
    let textBegin = 0;
    for (let place = 0; place < text.length; ) {
      const content = tokenAt(place);
      const token = content === null ? undefined : this.#added.get(content);
      if (content === null || !token || (token.single_word && !isWord(text, place, content.length))) {
        place++;
        continue;
      }
      const end = place + content.length;
      const before = token.lstrip ? text.slice(textBegin, place).trimEnd().length : place - textBegin;
      if (before > 0) yield { begin: textBegin, end: textBegin + before, token: null };
      yield { begin: place, end, token };
      const space = token.rstrip ? text.length - end - text.slice(end).trimStart().length : 0;
      place = end + space;
      textBegin = place;
    }
    if (textBegin < text.length) yield { begin: textBegin, end: text.length, token: null };
  }
}
