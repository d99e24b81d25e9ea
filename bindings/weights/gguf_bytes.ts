/** The header of a GGUF file as a sequence of numbers and texts, read from a stream whose end may come anywhere. */

import { nextTask } from '../engine/next_task.js';
import { ByteReader } from '../files/byte_reader.js';
import { fail } from '../values/errors.js';
import { decodeStrictly } from '../values/utf8.js';

/** The largest known header, with a vocabulary of 262,144 tokens, has some 15 MB. */
const mostBytes = 128 << 20;

/** Of a name, a token or a chat template. */
const longestText = 1 << 20;

/** Entries of a list that are read without a pause: some milliseconds. */
export const entriesAtOnce = 4096;

/** A token may be a byte order mark. */

export class GgufBytes {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #file: string;
  #bytes: DataView = new DataView(new ArrayBuffer(0));
  /** The place of the next byte in `bytes`, and that of the first one in the file. */
  #place = 0;
  #begin = 0;

  constructor(source: AsyncIterable<Uint8Array>, file: string) {
    this.#source = source[Symbol.asyncIterator]();
    this.#file = file;
  }

  /** Offset of the next byte in the file. */
  get position(): number {
    return this.#begin + this.#place;
  }

  /** @throws TransformerError `bad_checkpoint`, naming the byte: by default the next one */
  wrong(what: string, at = this.position): never {
    fail('bad_checkpoint', `${this.#file}: byte ${at}: ${what}`);
  }

  /** Refuses what is not supported, naming the byte. */
  unsupported(what: string, at = this.position): never {
    fail('unsupported', `${this.#file}: byte ${at}: ${what}`);
  }

  /** Makes `count` bytes available; undefined if they are, so that most calls need not wait. */
  need(count: number, what: string): Promise<void> | undefined {
    return this.#place + count <= this.#bytes.byteLength ? undefined : this.#more(count, what);
  }

  async #more(count: number, what: string): Promise<void> {
    if (this.position + count > mostBytes)
      this.wrong(`the header has more than ${mostBytes} bytes, inside ${what}`);
    const rest = new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + this.#place);
    const parts = [rest.slice(0, this.#bytes.byteLength - this.#place)];
    let size = parts[0]?.length ?? 0;
    while (size < count) {
      const { done, value } = await this.#source.next();
      if (done)
        this.wrong(`the file is cut off: it ends after ${this.position + size} bytes, inside ${what}`);
      // A piece is valid until the next one is requested.
      parts.push(value.slice());
      size += value.length;
    }
    const whole = new Uint8Array(size);
    let place = 0;
    for (const part of parts) {
      whole.set(part, place);
      place += part.length;
    }
    this.#begin += this.#place;
    this.#place = 0;
    this.#bytes = new DataView(whole.buffer);
  }

  /** The number that `read` takes from its bytes, which are available. */
  take<T>(bytes: number, read: (view: DataView, place: number) => T): T {
    const value = read(this.#bytes, this.#place);
    this.#place += bytes;
    return value;
  }

  async u32(what: string): Promise<number> {
    const wait = this.need(4, what);
    if (wait) await wait;
    return this.take(4, (view, place) => view.getUint32(place, true));
  }

  /** A number of 64 bits that counts something. */
  async count(what: string, most = Number.MAX_SAFE_INTEGER): Promise<number> {
    const wait = this.need(8, what);
    if (wait) await wait;
    return this.#countAtHand(what, most);
  }

  #countAtHand(what: string, most: number): number {
    const at = this.position;
    const value = Number(this.take(8, (view, place) => view.getBigUint64(place, true)));
    return value <= most ? value : this.wrong(`${what} is ${value}, more than ${most}`, at);
  }

  async text(what: string): Promise<string> {
    const length = await this.count(`the length of ${what}`, longestText);
    const wait = this.need(length, what);
    if (wait) await wait;
    return this.#textAtHand(length, what);
  }

  #textAtHand(length: number, what: string): string {
    const at = this.position;
    const { buffer } = this.#bytes;
    const bytes = new Uint8Array(buffer, this.#place, length);
    this.#place += length;
    try {
      return decodeStrictly(bytes);
    } catch {
      return this.wrong(`${what} is not UTF-8`, at);
    }
  }

  /** Many texts, waiting only where the bytes have not arrived. */
  async texts(count: number, what: string): Promise<string[]> {
    const texts: string[] = [];
    while (texts.length < count) {
      const wait = this.need(8, what);
      if (wait) await wait;
      const length = this.#countAtHand(`the length of entry ${texts.length} of ${what}`, longestText);
      const later = this.need(length, what);
      if (later) await later;
      texts.push(this.#textAtHand(length, what));
      if (texts.length % entriesAtOnce === 0) await nextTask();
    }
    return texts;
  }

  /** The rest of the file, from the next byte on. */
  rest(): ByteReader {
    const source = this.#source;
    let first: Uint8Array | null = new Uint8Array(this.#bytes.buffer, this.#place);
    // No generator: one that was never asked for anything would not close the source.
    const rest: AsyncIterator<Uint8Array> = {
      async next() {
        const value = first;
        first = null;
        return value ? { done: false, value } : source.next();
      },
      return: async () => (await source.return?.()) ?? { done: true, value: undefined },
    };
    return new ByteReader({ [Symbol.asyncIterator]: () => rest }, this.#file, this.position);
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
