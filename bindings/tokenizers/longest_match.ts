/** Finds the longest of a set of strings that begins at an offset of a text. */

export class LongestMatch {
  /** Without repetition, in the order of their UTF-16 units: those with a common beginning are neighbours. */
  readonly #sorted: readonly string[];
  readonly #firsts: ReadonlySet<number>;

  private constructor(sorted: readonly string[]) {
    this.#sorted = sorted;
    this.#firsts = new Set(sorted.map((text) => text.charCodeAt(0)));
  }

  static of(texts: Iterable<string>): LongestMatch {
    return new LongestMatch([...new Set(texts)].filter((text) => text !== '').sort());
  }

  /** Takes time in proportion to the length of the common beginning, whatever the number of strings. */
  at(text: string, begin: number): string | null {
    if (!this.#firsts.has(text.charCodeAt(begin))) return null;
    let longest: string | null = null;
    let [low, high] = [0, this.#sorted.length];
    for (let place = 0; low < high; place++) {
      const candidate = this.#sorted[low];
      if (candidate?.length === place) {
        longest = candidate;
        low++;
      }
      if (begin + place >= text.length) break;
      const unit = text.charCodeAt(begin + place);
      low = this.#firstFrom([low, high], place, unit);
      high = this.#firstFrom([low, high], place, unit + 1);
    }
    return longest;
  }

  /** The first in the range whose unit at `place` is at least `unit`. */
  #firstFrom([begin, end]: readonly [number, number], place: number, unit: number): number {
    let [low, high] = [begin, end];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle]?.charCodeAt(place) ?? 0) < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
