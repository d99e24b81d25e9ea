/** Puts elements into a sentence: where in it they stand, its language decides. */

/** @param sentence with `{name}` for each part @returns what an element takes as its content */
export function filled(sentence: string, parts: Readonly<Record<string, Node | string>>): (Node | string)[] {
  return sentence
    .split(/\{(\w+)\}/)
    .map((text, i) => (i % 2 === 0 ? text : (parts[text] ?? '')))
    .filter((part) => part !== '');
}
