/** Removes the spaces that tokens leave before punctuation, like Python's `clean_up_tokenization`. */

/** A replacement in a text. */
export type Rule = readonly [from: string, to: string];

/** The order matters: one rule can create or destroy a match of another. */
export const cleanUpRules: readonly Rule[] = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];

export function cleanUpSpaces(text: string): string {
  return cleanUpRules.reduce((cleaned, [from, to]) => cleaned.replaceAll(from, to), text);
}

/** Suffixes of a text that a rule may still change once more text follows. */
export function openEndsOf(these: readonly Rule[] = cleanUpRules): string[] {
  const ends = new Set<string>();
  for (const [i, [from, to]] of these.entries()) {
    for (let length = 1; length < from.length; length++) {
      const begin = from.slice(0, length);
      if (!to.startsWith(begin)) ends.add(begin);
    }
    // An earlier rule may match its last character.
    if (these.slice(0, i).some(([other]) => other !== '' && from.endsWith(other.charAt(0)))) ends.add(from);
  }
  return [...ends];
}

/** The text before the first of these suffixes. */
export function beforeOpenEnds(text: string, ends: readonly string[]): string {
  let settled = text;
  for (;;) {
    const open = ends.find((end) => settled.endsWith(end));
    if (open === undefined) return settled;
    settled = settled.slice(0, settled.length - open.length);
  }
}
