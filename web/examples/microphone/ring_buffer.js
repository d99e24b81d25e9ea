// The last seconds of an endless recording. Places count from its beginning.

export class RingBuffer {
  #samples;
  /** How many samples have been recorded. */
  end = 0;

  constructor(capacity) {
    this.#samples = new Float32Array(capacity);
  }

  /** The first sample that is still there. */
  get begin() {
    return Math.max(0, this.end - this.#samples.length);
  }

  push(block) {
    const { length } = this.#samples;
    const kept = block.subarray(Math.max(0, block.length - length));
    const place = (this.end + block.length - kept.length) % length;
    const first = kept.subarray(0, length - place);
    this.#samples.set(first, place);
    this.#samples.set(kept.subarray(first.length), 0);
    this.end += block.length;
  }

  /** A copy of the samples from a place on: up to the newest, or up to another place. */
  read(from, to = this.end) {
    const begin = Math.max(from, this.begin);
    const copy = new Float32Array(Math.max(0, to - begin));
    const { length } = this.#samples;
    for (let i = 0; i < copy.length; i++) copy[i] = this.#samples[(begin + i) % length];
    return copy;
  }
}
