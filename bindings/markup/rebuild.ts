/**
 * Puts the pieces of a translated run into its tree. No node of the source is dropped, no listener lost: what is no
 * longer needed is a text without characters, and only the second half of a parted element is a new one. */

import type { Piece } from './place.js';
import type { Run } from './runs.js';
import type { Path } from './segment.js';
import type { WritableTree } from './tree.js';

/** An element that is being filled; the outermost stands for the run itself. */
interface Open<Node> {
  readonly path: Path<Node> | null;
  readonly element: Node | null;
  readonly children: Node[];
}

/** Whether an element was used: the first time it is taken itself, then copies. */
class Rebuilder<Node> {
  readonly #tree: WritableTree<Node>;
  readonly #run: Run<Node>;
  readonly #used = new Set<Node>();
  readonly #top: Open<Node> = { path: null, element: null, children: [] };
  readonly #open: Open<Node>[] = [this.#top];
  /** Of each element of the source, its children so far. */
  readonly #filled = new Map<Node, Node[]>();

  constructor(tree: WritableTree<Node>, run: Run<Node>) {
    this.#tree = tree;
    this.#run = run;
  }

  add({ item, path, text }: Piece<Node>): void {
    this.#goTo(path);
    const { children } = this.#open.at(-1) as Open<Node>;
    if (item && !this.#used.has(item.node)) {
      this.#used.add(item.node);
      if (!item.isPoint) this.#tree.setText(item.node, text);
      children.push(item.node);
    } else if (text !== '')
      children.push(this.#tree.createText(item?.node ?? (this.#run.nodes[0] as Node), text));
  }

  /** Closes and opens elements until the innermost is that of the path. */
  #goTo(path: Path<Node> | null): void {
    const wanted: Path<Node>[] = [];
    for (let one = path; one; one = one.parent) wanted.unshift(one);
    let same = 0;
    while (same < wanted.length && this.#open[same + 1]?.path?.node === wanted[same]?.node) same++;
    this.#open.length = same + 1;
    for (const one of wanted.slice(same)) {
      const isFirst = !this.#used.has(one.node);
      this.#used.add(one.node);
      const element = isFirst ? one.node : this.#tree.cloneElement(one.node);
      const children: Node[] = [];
      this.#filled.set(element, children);
      this.#open.at(-1)?.children.push(element);
      this.#open.push({ path: one, element, children });
    }
  }

  /** Texts that nothing stands for stay in their element, empty. */
  #keepRest(): void {
    for (const { items } of this.#run.segments)
      for (const { node, path, isPoint } of items) {
        if (this.#used.has(node)) continue;
        if (!isPoint) this.#tree.setText(node, '');
        const parent = path && this.#filled.get(path.node);
        (parent ?? this.#top.children).push(node);
      }
  }

  finish(): void {
    this.#keepRest();
    for (const [element, children] of this.#filled)
      this.#tree.replace(element, this.#tree.childrenOf(element), children);
    this.#tree.replace(this.#run.container, this.#run.nodes, this.#top.children);
  }
}

/** @param pieces of all segments of the run, in order */
export function rebuild<Node>(
  tree: WritableTree<Node>,
  run: Run<Node>,
  pieces: readonly Piece<Node>[],
): void {
  const rebuilder = new Rebuilder(tree, run);
  for (const piece of pieces) rebuilder.add(piece);
  rebuilder.finish();
}
