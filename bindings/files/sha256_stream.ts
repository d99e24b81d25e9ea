/** SHA-256 of bytes that come in pieces, which crypto.subtle cannot do. Source: FIPS 180-4. */

import { hexOf } from './sha256.js';

const primes = Array.from({ length: 312 }, (_, n) => n).filter(
  (n) => n > 1 && !Array.from({ length: n }, (_, d) => d).some((d) => d > 1 && n % d === 0),
);
/** The first 32 bits of a number's fraction. */
const fraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;
const constants = Int32Array.from(primes.slice(0, 64), (prime) => fraction(Math.cbrt(prime)));

const blockBytes = 64;
const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

export class Sha256 {
  readonly #state = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  readonly #words = new Int32Array(blockBytes);
  /** The bytes that do not fill a block yet. */
  readonly #block = new Uint8Array(blockBytes);
  #length = 0;

  add(bytes: Uint8Array): void {
    for (let taken = 0; taken < bytes.length; ) {
      const filled = this.#length % blockBytes;
      const part = bytes.subarray(taken, taken + blockBytes - filled);
      this.#block.set(part, filled);
      taken += part.length;
      this.#length += part.length;
      if (filled + part.length === blockBytes) this.#mix();
    }
  }

  /** In hexadecimal digits. Nothing can be added afterwards. */
  end(): string {
    const bits = this.#length * 8;
    const padding = new Uint8Array(blockBytes - ((this.#length + 8) % blockBytes) + 8);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits % 2 ** 32);
    this.add(padding);
    const digest = new DataView(new ArrayBuffer(32));
    this.#state.forEach((word, i) => {
      digest.setInt32(4 * i, word);
    });
    return hexOf(new Uint8Array(digest.buffer));
  }

  #mix(): void {
    const words = this.#words;
    const view = new DataView(this.#block.buffer);
    const at = (i: number) => words[i] as number;
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(4 * i);
    for (let i = 16; i < 64; i++) {
      const [far, near] = [at(i - 15), at(i - 2)];
      const first = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
      const second = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
      words[i] = (at(i - 16) + first + at(i - 7) + second) | 0;
    }
    // Named as in the standard.
    let [a, b, c, d, e, f, g, h] = this.#state as unknown as Eight;
    for (let i = 0; i < 64; i++) {
      const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const one = (h + big1 + ((e & f) ^ (~e & g)) + (constants[i] as number) + at(i)) | 0;
      const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const two = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries())
      this.#state[i] = ((this.#state[i] as number) + word) | 0;
  }
}

type Eight = [number, number, number, number, number, number, number, number];
