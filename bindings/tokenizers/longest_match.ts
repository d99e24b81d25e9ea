/** Finds the longest of a set of strings that begins at an offset of a text. */

export class LongestMatch {
  /** All strings, by their first UTF-16 unit, longest first. */
  readonly #byFirst = new Map<string, string[]>();

  static of(texts: Iterable<string>): LongestMatch {
    const match = new LongestMatch();
    for (const text of texts) {
      const first = text[0];
      if (first === undefined) continue;
      const same = match.#byFirst.get(first);
      if (same) same.push(text);
      else match.#byFirst.set(first, [text]);
    }
    for (const same of match.#byFirst.values()) same.sort((a, b) => b.length - a.length);
    return match;
  }

  at(text: string, begin: number): string | null {
    const same = this.#byFirst.get(text[begin] ?? '');
    return same?.find((candidate) => text.startsWith(candidate, begin)) ?? null;
  }
}
