/** Markup parsed by parse5, where there is no browser. The build bundles parse5 into this file. */

import {
  type DefaultTreeAdapterMap,
  defaultTreeAdapter,
  type html as names,
  Parser,
  serialize,
} from 'parse5';
import { isInlineName, isPreformattedName } from './elements.js';
import type { ParsedTree } from './tree.js';

type Node = DefaultTreeAdapterMap['node'];
type Parent = DefaultTreeAdapterMap['parentNode'];
type Element = DefaultTreeAdapterMap['element'];

/** Limits of what is parsed. Browsers, too, nest no deeper than 512 elements. */
const mostNested = 512;
const mostNodes = 2_000_000;
const mostAttributes = 1000;
/** Characters between two looks at a tag that is being read. */
const chunk = 1 << 14;

/** @param refuse throws, with what is wrong with the markup */
export function parseWithParse5(
  html: string,
  isDocument: boolean,
  refuse: (reason: string) => never,
): ParsedTree<unknown> {
  let [depth, nodes] = [0, 0];
  const count = <T>(made: T): T => {
    if (++nodes > mostNodes) refuse(`it has more than ${mostNodes} elements and comments`);
    return made;
  };
  const adapter = {
    ...defaultTreeAdapter,
    createElement: (...args: Parameters<typeof defaultTreeAdapter.createElement>) =>
      count(defaultTreeAdapter.createElement(...args)),
    createCommentNode: (data: string) => count(defaultTreeAdapter.createCommentNode(data)),
    onItemPush() {
      if (++depth > mostNested) refuse(`its elements are nested more than ${mostNested} deep`);
    },
    onItemPop() {
      depth--;
    },
  };
  const parser = isDocument
    ? new Parser({ treeAdapter: adapter, scriptingEnabled: false })
    : Parser.getFragmentParser(null, { treeAdapter: adapter, scriptingEnabled: false });
  for (let at = 0; at === 0 || at < html.length; at += chunk) {
    parser.tokenizer.write(html.slice(at, at + chunk), at + chunk >= html.length);
    if (attributesSoFar(parser.tokenizer) > mostAttributes)
      refuse(`one of its tags has more than ${mostAttributes} attributes`);
  }
  const root = isDocument ? parser.document : parser.getFragment();
  return new Parse5Tree(root) as ParsedTree<unknown>;
}

/** Of the tag that is being read: each is compared with all before it. The token is not part of parse5's types. */
function attributesSoFar(tokenizer: object): number {
  const { currentToken } = tokenizer as { currentToken: { attrs?: unknown[] } | null };
  return currentToken?.attrs?.length ?? 0;
}

const isElement = (node: Node): node is Element => 'tagName' in node;
const isParent = (node: Node): node is Parent => 'childNodes' in node;

class Parse5Tree implements ParsedTree<Node> {
  readonly root: Parent;
  /** Of each parent, by the first child that is replaced: how many are, and by what. */
  readonly #replaced = new Map<Parent, Map<Node | undefined, { count: number; fresh: readonly Node[] }>>();

  constructor(root: Parent) {
    this.root = root;
  }

  kindOf(node: Node): 'element' | 'text' | 'other' {
    return node.nodeName === '#text' ? 'text' : isParent(node) ? 'element' : 'other';
  }

  nameOf(node: Node): string {
    return isElement(node) ? node.tagName.toLowerCase() : '';
  }

  attributeOf(node: Node, name: string): string | null {
    return (isElement(node) ? node.attrs.find((one) => one.name === name)?.value : undefined) ?? null;
  }

  setAttribute(node: Node, name: string, value: string): void {
    const own = isElement(node) && node.attrs.find((one) => one.name === name);
    if (own) own.value = value;
  }

  textOf(node: Node): string {
    return 'value' in node ? node.value : '';
  }

  setText(node: Node, text: string): void {
    if ('value' in node) node.value = text;
  }

  childrenOf(node: Node): Node[] {
    return isParent(node) ? node.childNodes : [];
  }

  isInline(node: Node): boolean {
    return isElement(node) && isInlineName(node.tagName);
  }

  keepsLines(node: Node): boolean {
    for (let one: Node | null = node; one && isElement(one); one = one.parentNode)
      if (isPreformattedName(one.tagName)) return true;
    return false;
  }

  createText(_near: Node, text: string): Node {
    return defaultTreeAdapter.createTextNode(text);
  }

  cloneElement(node: Node): Node {
    const { tagName, namespaceURI, attrs } = node as Element;
    const own = attrs.filter(({ name }) => name !== 'id').map((one) => ({ ...one }));
    return defaultTreeAdapter.createElement(tagName, namespaceURI as names.NS, own);
  }

  /** Put off until the tree is written: many changes of one long list then take one pass over it. */
  replace(parent: Node, old: readonly Node[], fresh: readonly Node[]): void {
    const own = this.#replaced.get(parent as Parent) ?? new Map();
    this.#replaced.set(parent as Parent, own);
    own.set(old[0], { count: old.length, fresh });
  }

  serialize(): string {
    for (const [parent, runs] of this.#replaced) {
      // A copy of an element has no children yet, but all that it gets.
      const children: Node[] = [...(runs.get(undefined)?.fresh ?? [])];
      for (let i = 0; i < parent.childNodes.length; ) {
        const child = parent.childNodes[i] as Node;
        const run = runs.get(child);
        for (const node of run?.fresh ?? [child]) children.push(node);
        i += run?.count ?? 1;
      }
      parent.childNodes = children as typeof parent.childNodes;
      for (const node of children) if ('parentNode' in node) node.parentNode = parent;
    }
    this.#replaced.clear();
    return serialize(this.root);
  }
}
