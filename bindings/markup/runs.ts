/**
 * Takes the texts out of a tree: what stands between two blocks is a run, and what is read as one text is a segment.
 */

import { isActiveName, isOpaqueName, isVoidName } from './elements.js';
import { Lists, type Part } from './lists.js';
import { hasLetters, type Path, type Segment } from './segment.js';
import { type Effect, SegmentWriter } from './segment_writer.js';
import type { Tree } from './tree.js';

/** Consecutive children of a block, with no block among or in them. */
export interface Run<Node> extends Part<Node> {
  /** In order; what ends a segment (`br`) is its last item. */
  readonly segments: readonly Segment<Node>[];
}

/** Content that its author does not want translated, or that a reader is writing. */
function isExcluded<Node>(tree: Tree<Node>, node: Node): boolean {
  if (tree.attributeOf(node, 'translate')?.toLowerCase() === 'no') return true;
  if (/(^|\s)notranslate(\s|$)/.test(tree.attributeOf(node, 'class') ?? '')) return true;
  const editable = tree.attributeOf(node, 'contenteditable');
  return editable !== null && editable.toLowerCase() !== 'false';
}

/** Whether a node is moved as it is, and not looked into. */
export function isPoint<Node>(tree: Tree<Node>, node: Node): boolean {
  if (tree.kindOf(node) !== 'element') return tree.kindOf(node) === 'other';
  const name = tree.nameOf(node);
  return isVoidName(name) || isOpaqueName(name) || isExcluded(tree, node) || tree.isApart?.(node) === true;
}

/** Facts about the elements of a tree. */
interface Survey<Node> {
  /** Those that are looked into, in the order of the document. */
  readonly elements: readonly Node[];
  readonly withBlocks: ReadonlySet<Node>;
  readonly withText: ReadonlySet<Node>;
}

/** Nothing but an icon: a symbol, or a letter of an icon font. */
const icon = /^\s*(?:[\p{So}\p{Sm}\p{Sk}\p{Co}](?:\p{M}|\u200d)*\s*)+$/u;

/**
 * Whether a text in an element is one that a model is given; others make the element a point: an icon, a note's number.
 */
function isRead<Node>(tree: Tree<Node>, node: Node, text: string): boolean {
  if (text === '' || icon.test(text)) return false;
  return hasLetters(text) || !/^su[bp]$/i.test(tree.nameOf(node));
}

/**
 * Without recursion: markup may be nested deeper than the stack.
 *
 * @param isLine whether blocks below the root are not looked into
 */
export function survey<Node>(tree: Tree<Node>, root: Node, isLine = false): Survey<Node> {
  const elements: Node[] = [];
  const parents = new Map<Node, Node>();
  const withBlocks = new Set<Node>();
  const withText = new Set<Node>();
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    elements.push(node);
    for (const child of [...tree.childrenOf(node)].reverse()) {
      if (tree.kindOf(child) === 'text' && isRead(tree, node, tree.textOf(child))) withText.add(node);
      if (tree.kindOf(child) !== 'element' || isPoint(tree, child)) continue;
      if (isLine && !tree.isInline(child)) {
        withBlocks.add(node);
        continue;
      }
      parents.set(child, node);
      open.push(child);
    }
  }
  for (const node of elements.slice(1).reverse()) {
    const parent = parents.get(node) as Node;
    if (withText.has(node)) withText.add(parent);
    if (withBlocks.has(node) || !tree.isInline(node)) withBlocks.add(parent);
  }
  return { elements, withBlocks, withText };
}

/** The runs directly in an element, which is a block or has some. */
function runsIn<Node>(tree: Tree<Node>, container: Node, known: Survey<Node>): Run<Node>[] {
  const runs: Run<Node>[] = [];
  const lists = new Lists(tree, known.withText);
  let nodes: Node[] = [];
  const add = (part: Part<Node>) => {
    const writer = new SegmentWriter<Node>(tree.keepsLines(container));
    const segments = segmentsOf(tree, part.nodes, known.withText, writer);
    if (segments.some(({ text }) => hasLetters(text))) runs.push({ ...part, segments });
  };
  const end = () => {
    const hasText = nodes.some((node) => tree.kindOf(node) === 'text' || known.withText.has(node));
    if (hasText) lists.partsOf({ container, nodes }).forEach(add);
    nodes = [];
  };
  for (const node of tree.childrenOf(container)) {
    const isBlock = tree.kindOf(node) === 'element' && (known.withBlocks.has(node) || !tree.isInline(node));
    if (isBlock) end();
    else nodes.push(node);
  }
  end();
  return runs;
}

/** Every run below a root. */
export function findRuns<Node>(tree: Tree<Node>, root: Node, known: Survey<Node>): Run<Node>[] {
  const isContainer = (node: Node) => node === root || known.withBlocks.has(node) || !tree.isInline(node);
  return known.elements.filter(isContainer).flatMap((node) => runsIn(tree, node, known));
}

/** An element is read after its children have been, when its end tag comes. */
type Step<Node> = { readonly node: Node; readonly path: Path<Node> | null } | 'tag';

/** Writes the segments of a run: the leaves in order, with the elements that they are in. */
function segmentsOf<Node>(
  tree: Tree<Node>,
  nodes: readonly Node[],
  withText: ReadonlySet<Node>,
  writer: SegmentWriter<Node>,
): Segment<Node>[] {
  const steps: Step<Node>[] = [];
  const push = (children: readonly Node[], path: Path<Node> | null) => {
    for (const node of [...children].reverse()) steps.push({ node, path });
  };
  push(nodes, null);
  for (let step = steps.pop(); step; step = steps.pop()) {
    if (step === 'tag') {
      writer.addTag();
      continue;
    }
    const { node, path } = step;
    if (tree.kindOf(node) === 'text') writer.addText(node, path, tree.textOf(node));
    else if (isPoint(tree, node) || !withText.has(node)) writer.addPoint(node, path, effectOf(tree, node));
    else {
      const isActive = path?.isActive || isActiveName(tree.nameOf(node));
      writer.addTag();
      steps.push('tag');
      push(tree.childrenOf(node), { node, parent: path, depth: (path?.depth ?? 0) + 1, isActive });
    }
  }
  return writer.finish();
}

function effectOf<Node>(tree: Tree<Node>, node: Node): Effect {
  if (tree.kindOf(node) === 'other' || tree.nameOf(node) === 'wbr') return 'joins';
  // By its style a line break stands in a line.
  return tree.isInline(node) && tree.nameOf(node) !== 'br' ? 'parts' : 'ends';
}
