/** Sound while it is recorded, block by block: read as it comes, so that nothing is lost while a model writes. */

import { fail } from '../../values/errors.js';
import { describe } from '../../values/tensor.js';

/** Reads blocks ahead of whoever takes them, up to a number of samples. */
export class LiveSound {
  readonly #blocks: AsyncIterator<Float32Array>;
  readonly #ahead: number;
  #read: Float32Array[] = [];
  #length = 0;
  #isOver = false;
  #error: { readonly thrown: unknown } | null = null;
  #tell = () => {};
  #told: Promise<void> = Promise.resolve();

  constructor(blocks: AsyncIterable<Float32Array>, ahead: number) {
    this.#blocks = blocks[Symbol.asyncIterator]();
    this.#ahead = ahead;
    this.#renew();
    void this.#pump();
  }

  /** At most that many of the samples that have arrived. Waits for at least one; returns none at the end. */
  async take(most: number): Promise<Float32Array> {
    while (this.#length === 0 && !this.#isOver) await this.#told;
    if (this.#length === 0 && this.#error) throw this.#error.thrown;
    const taken = new Float32Array(Math.min(most, this.#length));
    for (let filled = 0; filled < taken.length; ) {
      const [block = taken] = this.#read;
      const part = block.subarray(0, taken.length - filled);
      taken.set(part, filled);
      filled += part.length;
      if (part.length === block.length) this.#read.shift();
      else this.#read[0] = block.subarray(part.length);
    }
    this.#length -= taken.length;
    this.#tell();
    return taken;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#tell();
    await this.#blocks.return?.();
  }

  #renew(): void {
    this.#told = new Promise((resolve) => {
      this.#tell = () => {
        resolve();
        this.#renew();
      };
    });
  }

  async #pump(): Promise<void> {
    try {
      while (!this.#isOver) {
        if (this.#length >= this.#ahead) {
          await this.#told;
          continue;
        }
        const { done, value } = await this.#blocks.next();
        if (done) break;
        if (!(value instanceof Float32Array))
          fail('invalid_argument', `sound must come as Float32Arrays of samples, got ${describe(value)}`);
        this.#read.push(value.slice());
        this.#length += value.length;
        this.#tell();
      }
    } catch (thrown) {
      this.#error = { thrown };
    }
    this.#isOver = true;
    this.#tell();
  }
}
