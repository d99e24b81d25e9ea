/** A vocabulary of the kind 'llama' as SentencePiece's file: pieces with scores, of which neighbours are joined. */

import type { Steps } from '../../engine/steps.js';
import { entriesAtOnce } from '../../weights/gguf_bytes.js';
import { flagOf, type GgufVocabulary, numbersOf, tokenKinds } from './vocabulary.js';

const kVarint = 0;
const kBytes = 2;
const kFloat = 5;
const kBpe = 2;

/** The `ModelProto` that a tokenizer.model holds; its kinds of pieces have the same numbers as those of GGUF. */
export function* sentencePieceOf(vocabulary: GgufVocabulary): Steps<Uint8Array> {
  const { tokens, kinds } = vocabulary;
  const scores = numbersOf('scores', vocabulary);
  const message = new Message();
  for (const [id, token] of tokens.entries()) {
    const piece = new Message();
    piece.text(1, token);
    piece.float(2, scores[id] ?? 0);
    piece.number(3, kinds[id] ?? tokenKinds.normal);
    message.message(1, piece);
    if (id % entriesAtOnce === 0) yield;
  }
  const trainer = new Message();
  trainer.number(3, kBpe);
  trainer.number(35, kinds.includes(tokenKinds.byte) ? 1 : 0);
  message.message(2, trainer);
  const normalizer = new Message();
  normalizer.number(3, flagOf('add_space_prefix', true, vocabulary) ? 1 : 0);
  normalizer.number(4, flagOf('remove_extra_whitespaces', false, vocabulary) ? 1 : 0);
  normalizer.number(5, 1);
  message.message(3, normalizer);
  return message.bytes();
}

const encoder = () => new TextEncoder();

/** Writes protobuf's wire format. */
class Message {
  #bytes = new Uint8Array(64);
  #size = 0;

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  number(field: number, value: number): void {
    this.#varint(field * 8 + kVarint);
    this.#varint(value);
  }

  text(field: number, value: string): void {
    this.#add(field, encoder().encode(value));
  }

  message(field: number, value: Message): void {
    this.#add(field, value.bytes());
  }

  float(field: number, value: number): void {
    this.#varint(field * 8 + kFloat);
    this.#append(new Uint8Array(Float32Array.of(value).buffer));
  }

  #add(field: number, bytes: Uint8Array): void {
    this.#varint(field * 8 + kBytes);
    this.#varint(bytes.length);
    this.#append(bytes);
  }

  #varint(value: number): void {
    const bytes: number[] = [];
    for (let rest = value; ; rest = Math.floor(rest / 128)) {
      bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
      if (rest < 128) break;
    }
    this.#append(Uint8Array.from(bytes));
  }

  #append(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(2 * size);
      larger.set(this.bytes());
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#size);
    this.#size = size;
  }
}
