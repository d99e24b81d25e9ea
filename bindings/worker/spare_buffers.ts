/**
 * Buffers that came back from the worker, for further messages of the same sizes. To allocate a megabyte anew takes 0.8
 * ms in a page, ten times as long as to fill it.
 */

/** Smaller ones are allocated as quickly as they are returned; of the largest, few would be needed again. */
const smallest = 16 << 10;
const largest = 4 << 20;
const mostBytes = 4 << 20;

/** Whether a buffer is worth returning. */
export const isSpare = ({ byteLength }: ArrayBuffer): boolean =>
  byteLength >= smallest && byteLength <= largest;

export class SpareBuffers {
  readonly #buffers: ArrayBuffer[] = [];
  #bytes = 0;

  /** A buffer of this size, with any content. */
  take(bytes: number): ArrayBuffer {
    const found = this.#buffers.findIndex(({ byteLength }) => byteLength === bytes);
    if (found < 0) return new ArrayBuffer(bytes);
    const [buffer = new ArrayBuffer(bytes)] = this.#buffers.splice(found, 1);
    this.#bytes -= bytes;
    return buffer;
  }

  /** Keeps buffers; those that were not needed for longest are dropped when there are too many. */
  put(buffers: readonly ArrayBuffer[]): void {
    this.#buffers.push(...buffers);
    for (const { byteLength } of buffers) this.#bytes += byteLength;
    while (this.#bytes > mostBytes) this.#bytes -= this.#buffers.shift()?.byteLength ?? 0;
  }
}
