/** Cuts bytes that come in pieces into whole rows. */
export class WholeRows {
  /** The row at the end of what came so far. */
  readonly #row: Uint8Array;
  #begun = 0;

  constructor(rowBytes: number) {
    this.#row = new Uint8Array(rowBytes);
  }

  /** The whole rows that end in the next piece, several at a time. They are overwritten by the next call. */
  *take(bytes: Uint8Array): Generator<Uint8Array> {
    const size = this.#row.length;
    let rest = bytes;
    if (this.#begun > 0) {
      rest = this.#keep(rest);
      if (this.#begun < size) return;
      this.#begun = 0;
      yield this.#row;
    }
    const whole = rest.length - (rest.length % size);
    if (whole > 0) yield rest.subarray(0, whole);
    this.#keep(rest.subarray(whole));
  }

  /** Takes what belongs to the begun row, and gives back the rest. */
  #keep(bytes: Uint8Array): Uint8Array {
    const own = bytes.subarray(0, this.#row.length - this.#begun);
    this.#row.set(own, this.#begun);
    this.#begun += own.length;
    return bytes.subarray(own.length);
  }
}
