// A naive twin of the engine's GrammarStates: sets of stacks, each a list of nodes, without any memory.

export class GrammarWalk {
  /** @param {{ nodes: Int32Array, edges: Int32Array }} tables as `compileConstraint` makes them */
  constructor({ nodes, edges }) {
    this.nodes = nodes;
    this.edges = edges;
  }

  start() {
    return this.#settled([[0]]);
  }

  /** The stacks after a byte: none if it cannot follow. */
  after(state, byte) {
    const next = [];
    for (const stack of state.stacks)
      for (const [first, last, target] of this.#edgesOf(stack.at(-1)))
        if (first <= byte && byte <= last) next.push([...stack.slice(0, -1), target]);
    return this.#settled(next);
  }

  takes(text) {
    let state = this.start();
    for (const byte of new TextEncoder().encode(text)) state = this.after(state, byte);
    return state.mayEnd;
  }

  /** The bytes that may follow. */
  next(state) {
    const bytes = new Set();
    for (const stack of state.stacks)
      for (const [first, last] of this.#edgesOf(stack.at(-1)))
        for (let byte = first; byte <= last; byte++) bytes.add(byte);
    return [...bytes].sort((a, b) => a - b);
  }

  /** A text of the form, or `null` where it is too ambiguous for this twin; `random` gives numbers below 1, `most` bytes before the shortest way to an end is taken. */
  sample(random, most) {
    let state = this.start();
    const bytes = [];
    for (;;) {
      if (state.stacks.length > 500) return null;
      const next = this.next(state);
      if (state.mayEnd && (next.length === 0 || bytes.length >= most || random() < 0.2)) break;
      if (bytes.length >= most) {
        const all = next.map((byte) => [byte, this.after(state, byte)]);
        const [byte, nearest] = all.reduce((a, b) => (this.distance(b[1]) < this.distance(a[1]) ? b : a));
        bytes.push(byte);
        state = nearest;
        continue;
      }
      const byte = next[Math.floor(random() * next.length)];
      bytes.push(byte);
      state = this.after(state, byte);
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  }

  /** The fewest bytes to an end. */
  distance({ stacks, mayEnd }) {
    if (mayEnd) return 0;
    const lengthOf = (stack) => stack.reduce((sum, node) => sum + this.nodes[3 * node + 1], 0);
    return stacks.reduce((least, stack) => Math.min(least, lengthOf(stack)), Number.POSITIVE_INFINITY);
  }

  *#edgesOf(node) {
    const begin = node === 0 ? 0 : this.nodes[3 * node - 3];
    for (let i = begin; i < this.nodes[3 * node]; i++) yield this.edges.subarray(4 * i, 4 * i + 4);
  }

  #settled(given) {
    const seen = new Set();
    const open = [...given];
    const stacks = [];
    let mayEnd = false;
    for (const stack of open) {
      const key = stack.join();
      if (seen.has(key)) continue;
      seen.add(key);
      const node = stack.at(-1);
      if (node === undefined) {
        mayEnd = true;
        continue;
      }
      const below = stack.slice(0, -1);
      if (this.nodes[3 * node + 2] === 1) open.push(below);
      let reads = false;
      for (const [, last, target, then] of this.#edgesOf(node)) {
        reads ||= last >= 0;
        if (last < 0) open.push([...below, ...(then < 0 ? [] : [then]), target]);
      }
      if (reads) stacks.push(stack);
    }
    return { stacks, mayEnd };
  }
}
