/** The tokens of a SentencePiece model by the ids of its family, and the tokens that are never split. */

import type { AddedToken } from './codec.js';
import { type Section, Sections } from './sections.js';
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
  readonly #addedIds: ReadonlyMap<number, AddedToken>;
  readonly #sections: Sections;

  constructor(side: Side) {
    this.side = side;
    this.#addedIds = new Map(side.added.map((token) => [token.id, token]));
    const found = side.isText ? [] : side.added.map((token) => [token.content, token] as const);
    this.#sections = new Sections(new Map(found));
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
  partsOf(text: string): Iterable<Section> {
    return this.#sections.of(text);
  }
}
