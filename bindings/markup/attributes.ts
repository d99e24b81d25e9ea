/** Attributes that readers see or hear. */

import type { ReadableAttribute } from '../texts/options.js';
import { isPoint } from './runs.js';
import { hasLetters } from './segment.js';
import type { Tree } from './tree.js';

interface AttributeText<Node> {
  readonly node: Node;
  readonly name: ReadableAttribute;
  readonly text: string;
}

/** The texts in attributes of the elements that are looked into, and of pictures and fields among them. */
export function findAttributes<Node>(
  tree: Tree<Node>,
  elements: readonly Node[],
  names: readonly ReadableAttribute[],
): AttributeText<Node>[] {
  if (names.length === 0) return [];
  const own = (node: Node) =>
    names.flatMap((name) => {
      const text = tree.attributeOf(node, name) ?? '';
      return hasLetters(text) ? [{ node, name, text }] : [];
    });
  const ofPoints = (node: Node) =>
    tree.childrenOf(node).filter((child) => tree.kindOf(child) === 'element' && isPoint(tree, child));
  const isOpen = (node: Node) => tree.attributeOf(node, 'translate')?.toLowerCase() !== 'no';
  return elements.flatMap((node) => [...own(node), ...ofPoints(node).filter(isOpen).flatMap(own)]);
}
