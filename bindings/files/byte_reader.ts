/** Reads a byte stream front to back in pieces of any size, independent of the chunks that it arrives in. */

import { fail } from '../values/errors.js';
import type { OpenFile } from './folder.js';

/**
 * The bytes of a file, which is closed with their iterator, also if nobody has asked for any.
 *
 * @param isWhole see `OpenFile.bytes`
 */
export function bytesOf(file: OpenFile, isWhole?: () => boolean): AsyncIterable<Uint8Array> {
  let begun: AsyncIterator<Uint8Array> | undefined;
  const bytes: AsyncIterator<Uint8Array> = {
    next() {
      begun ??= file.bytes(isWhole)[Symbol.asyncIterator]();
      return begun.next();
    },
    async return() {
      if (begun) await begun.return?.();
      else await file.close();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => bytes };
}

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #file: string;
  #rest: Uint8Array = new Uint8Array(0);
  #position: number;

  /**
   * @param file name for messages
   * @param position offset of the stream's first byte in the file
   */
  constructor(source: AsyncIterable<Uint8Array>, file: string, position = 0) {
    this.#source = source[Symbol.asyncIterator]();
    this.#file = file;
    this.#position = position;
  }

  /** Offset of the next byte in the file. */
  get position(): number {
    return this.#position;
  }

  /**
   * The next bytes.
   *
   * @param what describes the bytes in messages
   * @throws TransformerError `bad_checkpoint` if the file ends too early.
   */
  async read(bytes: number, what: string): Promise<Uint8Array<ArrayBuffer>> {
    const result = new Uint8Array(bytes);
    await this.readInto(result, what);
    return result;
  }

  /** Like {@link read}, but fills an existing array. */
  async readInto(result: Uint8Array, what: string): Promise<void> {
    for (let filled = 0; filled < result.length; ) {
      const piece = await this.#next(result.length - filled, what);
      result.set(piece, filled);
      filled += piece.length;
    }
  }

  /** Skips to an offset in the file. */
  async skipTo(position: number, what: string): Promise<void> {
    while (this.#position < position) await this.#next(position - this.#position, what);
  }

  async atEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#refill());
  }

  /** Cancels the stream. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  /** Between one and `atMost` of the next bytes. */
  async #next(atMost: number, what: string): Promise<Uint8Array> {
    if (this.#rest.length === 0 && !(await this.#refill())) {
      fail(
        'bad_checkpoint',
        `${this.#file} is cut off: it ends after ${this.#position} bytes, inside ${what}`,
      );
    }
    const piece = this.#rest.subarray(0, atMost);
    this.#rest = this.#rest.subarray(piece.length);
    this.#position += piece.length;
    return piece;
  }

  async #refill(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#source.next();
      if (done) return false;
      if (value.length > 0) {
        this.#rest = value;
        return true;
      }
    }
  }
}
