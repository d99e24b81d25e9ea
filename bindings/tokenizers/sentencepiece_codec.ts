/** A SentencePiece model with the ids, special tokens and conventions of its model family. */

import type { Steps } from '../engine/steps.js';
import {
  type AddedToken,
  type Codec,
  type CutText,
  type PlacedToken,
  placedTokens,
  type Token,
} from './codec.js';
import { type Side, Vocabulary } from './sentencepiece_vocabulary.js';
import { unknownWordsOf, type WordPart } from './unknown_words.js';

/** What differs between families, apart from ids and special tokens. */
export interface Habits {
  /** Whether the text after a special token begins like a new text, with a space before its first word. */
  readonly prefixesEachPart: boolean;
  /** Matches a leading token that is not part of the text, such as Marian's `>>fra<<`. */
  readonly leadingToken: RegExp | null;
  /**
   * What separates a special token from the text after it in decoded text: a space, the text's own space, or nothing.
   */
  readonly spaceAfterSpecial: 'always' | 'its own' | 'never';
  /** Whether decoded text is trimmed. */
  readonly strips: boolean;
  /** Whether Python reads the family's files as a tokenizer.json with BPE. */
  readonly isBpe: boolean;
}

/** What most have. */
export const habits: Habits = {
  leadingToken: null,
  prefixesEachPart: true,
  spaceAfterSpecial: 'never',
  strips: true,
  isBpe: false,
};

interface SentencePieceFamily extends Habits {
  /** Encodes texts. */
  readonly source: Side;
  /** Decodes ids: for Marian the target language's model, otherwise the same as `source`. */
  readonly target: Side;
  /** The template for one text and for two: special token ids, and where the texts go. */
  readonly single: Template;
  readonly pair: Template;
}

type Template = readonly (number | 'first' | 'second')[];

export class SentencePieceCodec implements Codec {
  readonly rules = [];
  readonly continuationMark = '';
  readonly #family: SentencePieceFamily;
  readonly #source: Vocabulary;
  readonly #target: Vocabulary;

  constructor(family: SentencePieceFamily) {
    this.#family = family;
    this.#source = new Vocabulary(family.source);
    this.#target = family.target === family.source ? this.#source : new Vocabulary(family.target);
  }

  get size(): number {
    return Math.max(this.#source.size, this.#target.size);
  }

  get unknownId(): number {
    return this.#family.source.unknownId;
  }

  get isBpe(): boolean {
    return this.#family.isBpe;
  }

  get added(): readonly AddedToken[] {
    return this.#family.source.added;
  }

  *cut(text: string, isTarget: boolean): Steps<CutText> {
    const vocabulary = isTarget ? this.#target : this.#source;
    const parts: WordPart[][] = [];
    for (const { begin, end, token, place } of vocabulary.partsOf(text)) {
      if (!token) parts.push(yield* this.#cutPart(text.slice(begin, end), begin, vocabulary));
      else {
        const { content, id } = token;
        parts.push([{ token: content, id, span: place, isUnknown: false, beginsWord: true }]);
      }
    }
    const tokens = parts.flat();
    return { tokens, unknownWords: unknownWordsOf(text, tokens) };
  }

  *#cutPart(text: string, shift: number, vocabulary: Vocabulary): Steps<WordPart[]> {
    const { leadingToken, prefixesEachPart } = this.#family;
    const { model, unknownId, idOfPiece } = vocabulary.side;
    const leading = leadingToken?.exec(text)?.[0] ?? '';
    const begin = shift + leading.length;
    const addPrefix = prefixesEachPart || shift === 0;
    const pieces = yield* model.encode(text.slice(leading.length), { addPrefix });
    const parts = pieces.map((piece): WordPart => {
      const id = idOfPiece(piece);
      const span: Token['span'] = piece.span && [piece.span[0] + begin, piece.span[1] + begin];
      const beginsWord = piece.piece.startsWith('\u2581');
      return { token: piece.piece, id, span, isUnknown: id === unknownId, beginsWord };
    });
    if (leading === '') return parts;
    const id = vocabulary.idOf(leading) ?? unknownId;
    const isUnknown = id === unknownId;
    return [{ token: leading, id, span: [shift, begin], isUnknown, beginsWord: true }, ...parts];
  }

  wrap(first: readonly Token[], second: readonly Token[] | null, addsSpecial: boolean): PlacedToken[] {
    const { single, pair } = this.#family;
    return (second ? pair : single).flatMap((part): PlacedToken[] => {
      if (part === 'first') return placedTokens(first, 0, 0);
      if (part === 'second') return placedTokens(second ?? [], 0, 1);
      if (!addsSpecial) return [];
      const token = { token: this.#source.tokenOf(part) ?? `${part}`, id: part, span: null };
      return [{ token, type: 0, source: -1 }];
    });
  }

  join(ids: readonly number[], skipSpecialTokens: boolean): string {
    const { strips, spaceAfterSpecial } = this.#family;
    const texts: string[] = [];
    let text = '';
    let pieces: string[] = [];
    const flush = () => {
      const keepsSpace = text !== '' && spaceAfterSpecial === 'its own' && pieces[0]?.startsWith('\u2581');
      text += `${keepsSpace ? ' ' : ''}${this.#target.side.model.decode(pieces)}`;
      pieces = [];
    };
    for (const id of ids) {
      const added = this.#target.addedOf(id);
      if (!added) {
        pieces.push(this.#target.tokenOf(id) ?? '');
      } else if (!added.special) {
        // Tokens that were added to the vocabulary later are decoded separately.
        flush();
        texts.push(text, added.content);
        text = '';
      } else if (!skipSpecialTokens) {
        flush();
        text += `${added.content}${spaceAfterSpecial === 'always' ? ' ' : ''}`;
      }
    }
    flush();
    texts.push(text);
    // A piece that the target model lacks still has its space mark.
    const whole = texts
      .filter((part) => part !== '')
      .join(' ')
      .replaceAll('\u2581', ' ');
    return strips ? whole.replace(/^[^\S\ufeff]+|[^\S\ufeff]+$/g, '') : whole;
  }

  get dropsFirstSpace(): boolean {
    return this.#family.strips || this.#target.side.model.dropsFirstSpace;
  }

  bytesOf(id: number): readonly number[] | null {
    const piece = this.#target.tokenOf(id);
    // What was added to the vocabulary later is decoded apart, with spaces around it.
    return piece === null || this.#target.addedOf(id) ? null : this.#target.side.model.bytesOf(piece);
  }

  tokenOf(id: number, isSource: boolean): string | null {
    return (isSource ? this.#source : this.#target).tokenOf(id);
  }

  idOf(token: string): number | null {
    return this.#source.idOf(token);
  }

  isSpecial(id: number): boolean {
    return this.#target.addedOf(id)?.special ?? false;
  }
}
