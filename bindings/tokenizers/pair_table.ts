/** The merges of byte pair encoding: for two ids the id that they become, and its rank. A hash table of integers. */

export class PairTable {
  readonly #mask: number;
  /** Four integers each: left, right, rank, and what they become; left is -1 where there is none. */
  readonly #slots: Int32Array;

  /** @param most how many pairs it will hold */
  constructor(most: number) {
    let capacity = 16;
    while (capacity < 2 * most) capacity *= 2;
    this.#mask = capacity - 1;
    this.#slots = new Int32Array(4 * capacity).fill(-1);
  }

  /** Of two rules for a pair the later one counts. */
  set(left: number, right: number, rank: number, id: number): void {
    const [slots, at] = [this.#slots, this.#find(left, right)];
    slots[at] = left;
    slots[at + 1] = right;
    slots[at + 2] = rank;
    slots[at + 3] = id;
  }

  get(left: number, right: number): { id: number; rank: number } | null {
    const at = this.#find(left, right);
    const slots = this.#slots;
    return slots[at] === -1 ? null : { rank: slots[at + 2] ?? 0, id: slots[at + 3] ?? 0 };
  }

  #find(left: number, right: number): number {
    const slots = this.#slots;
    const hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right + 1, 0x85ebca77);
    for (let slot = (hash ^ (hash >>> 15)) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = 4 * slot;
      if (slots[at] === -1 || (slots[at] === left && slots[at + 1] === right)) return at;
    }
  }
}
