/** The tree of nodes that markup works on: a page's own, or one that was parsed in Node.js. */

export interface Tree<Node> {
  kindOf(node: Node): 'element' | 'text' | 'other';
  /** Of an element, in lower case. */
  nameOf(node: Node): string;
  attributeOf(node: Node, name: string): string | null;
  setAttribute(node: Node, name: string, value: string): void;
  textOf(node: Node): string;
  setText(node: Node, text: string): void;
  childrenOf(node: Node): readonly Node[];
  /** Whether an element stands in a line of text. */
  isInline(node: Node): boolean;
  /** Whether line breaks in an element's text are shown as such. */
  keepsLines(node: Node): boolean;
  /** A text beside `near`. */
  createText(near: Node, text: string): Node;
  /** An element with the same attributes except for `id`, and without children. */
  cloneElement(node: Node): Node;
  /** Puts `fresh` in the place of `old`, which are consecutive children of `parent`. */
  replace(parent: Node, old: readonly Node[], fresh: readonly Node[]): void;
}
