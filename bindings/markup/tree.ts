/** The trees of nodes that markup works on. */

export interface Tree<Node> {
  kindOf(node: Node): 'element' | 'text' | 'other';
  /** Of an element, in lower case. */
  nameOf(node: Node): string;
  attributeOf(node: Node, name: string): string | null;
  textOf(node: Node): string;
  childrenOf(node: Node): readonly Node[];
  /** Whether an element stands in a line of text. */
  isInline(node: Node): boolean;
  /** Whether line breaks in an element's text are shown as such. */
  keepsLines(node: Node): boolean;
  /** Whether an element is not translated for a reason of its tree: its language. */
  isApart?(node: Node): boolean;
}

/** A tree that is rewritten. */
export interface WritableTree<Node> extends Tree<Node> {
  setText(node: Node, text: string): void;
  /** A text beside `near`. */
  createText(near: Node, text: string): Node;
  /** An element with the same attributes, without children. */
  cloneElement(node: Node): Node;
  /** Puts `fresh` in the place of `old`, which are consecutive children of `parent`. */
  replace(parent: Node, old: readonly Node[], fresh: readonly Node[]): void;
}
