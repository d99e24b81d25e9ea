/** Text that is read as one, with the elements that its parts are in. */

/** The elements around a node, from the inside out, up to the block that holds the run. */
export interface Path<Node> {
  readonly node: Node;
  readonly parent: Path<Node> | null;
  readonly depth: number;
  /** Whether one of them is something that a reader acts on: a link. */
  readonly isActive: boolean;
}

/** A leaf: a text, or a point, which is moved as it is (a picture, a line break, a comment, code, an empty element). */
export interface Item<Node> {
  readonly node: Node;
  readonly path: Path<Node> | null;
  readonly isPoint: boolean;
  /** Its range in the segment's text; empty for a point. */
  readonly begin: number;
  readonly end: number;
  /** Whether it goes on with a word of the text before it, from which a space parts it for the model alone. */
  readonly isGlued: boolean;
}

export interface Segment<Node> {
  readonly text: string;
  readonly items: readonly Item<Node>[];
}

/** Whether a text has anything to translate. */
export const hasLetters = (text: string): boolean => /\p{L}/u.test(text);

/** The path that two have in common. */
export function commonPath<Node>(a: Path<Node> | null, b: Path<Node> | null): Path<Node> | null {
  let [one, other] = [a, b];
  while (one?.node !== other?.node) {
    const depth = Math.max(one?.depth ?? 0, other?.depth ?? 0);
    if (one?.depth === depth) one = one.parent;
    if (other?.depth === depth) other = other.parent;
  }
  return one;
}
