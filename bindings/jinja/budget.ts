/**
 * What rendering a template may cost. Everything that a template can repeat is paid for before it is done: nothing else
 * can end it, because it runs in the caller's thread.
 */

/** Steps: nodes evaluated, and eighths of the letters and entries looked at. */
const mostSteps = 30_000_000;

/**
 * Letters that all strings made may have together, entries of lists counted as eight; a letter takes up to two bytes.
 */
const mostLetters = 1 << 27;

/** Letters of a single string. */
const longestString = 1 << 26;

/** Milliseconds after which a template counts as one that does not end; known ones take less than ten. */
const longestTime = 2000;

/** Calls of macros within each other, expressions within expressions, and streams that are made of streams. */
const deepest = 150;

/** A template that asks for more than it may have. */
class StoppedError extends Error {}

export class Budget {
  readonly #end = performance.now() + longestTime;
  #steps = mostSteps;
  #letters = mostLetters;
  #untilClock = 0;
  #depth = 0;

  /** Before work that takes time in proportion to `count` letters or entries. */
  look(count: number): void {
    this.step(count / 8);
  }

  step(count = 1): void {
    this.#steps -= count;
    this.#untilClock -= count;
    if (!(this.#steps > 0))
      throw new StoppedError(`it takes too long; does it loop? It may take ${mostSteps} steps`);
    if (this.#untilClock > 0) return;
    this.#untilClock = 2000;
    if (performance.now() > this.#end)
      throw new StoppedError(`it takes too long; does it loop? It may take ${longestTime / 1000} s`);
  }

  /** Called before a string of this many letters is made. */
  string(length: number): void {
    this.#string(length, length);
  }

  /** Before two strings are joined, which JavaScript does by reference, until somebody reads the result. */
  joined(length: number): void {
    this.#string(length, length / 4 + 16);
  }

  #string(length: number, cost: number): void {
    if (!(length <= longestString))
      throw new StoppedError(`it makes a text of ${length} characters; at most ${longestString} are allowed`);
    this.#make(cost);
  }

  /** Called before a list or mapping of this many entries is made. */
  list(length: number): void {
    this.#make(8 * length + 16);
  }

  #make(cost: number): void {
    this.look(cost);
    this.#letters -= cost;
    if (!(this.#letters > 0))
      throw new StoppedError(`it takes too much memory, more than that of ${mostLetters} characters`);
  }

  /** Runs what may contain itself. */
  within<T>(work: () => T): T {
    if (this.#depth >= deepest) throw new StoppedError(`its parts are nested more than ${deepest} deep`);
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }
}
