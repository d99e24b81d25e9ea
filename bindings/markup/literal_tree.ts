/** Text with marks in it, as a tree that knows how each mark was written: Markdown, subtitles. */

import { isInlineName, isPreformattedName } from './elements.js';
import type { WritableTree } from './tree.js';

export interface LiteralNode {
  readonly kind: 'element' | 'text' | 'other';
  /** Of an element: the name that HTML has for it. */
  readonly name: string;
  /** The text before its children, and after them. */
  open: string;
  close: string;
  children: LiteralNode[];
  /** Of a text, as it is read. */
  text: string;
  /** Of a text that was not changed, as it was written; of a link that is named by its text, its end. */
  raw: string | null;
}

const node = (kind: LiteralNode['kind'], name: string, marks: Partial<LiteralNode> = {}): LiteralNode => ({
  kind,
  name,
  open: '',
  close: '',
  children: [],
  text: '',
  raw: null,
  ...marks,
});

export const textNode = (text: string, raw: string | null): LiteralNode => node('text', '', { text, raw });
export const elementNode = (name: string, open: string, close: string): LiteralNode =>
  node('element', name, { open, close });
/** Content that is moved as it is. */
export const pointNode = (name: string, open: string): LiteralNode => node('element', name, { open });
/** The name of a tag that begins or ends an element; empty for what is none. */
export const tagName = (raw: string): string => /^<\/?([a-z][^\s/>.]*)/i.exec(raw)?.[1]?.toLowerCase() ?? '';
/** A tag that is not, or not yet, part of a pair. */
export const tagNode = (raw: string): LiteralNode => pointNode(tagName(raw), raw);
/** A mark that nobody sees, and that joins the words beside it. */
export const hiddenNode = (open: string): LiteralNode => node('other', '', { open });

/** Spans that HTML does not have: WebVTT's class and language, and the inline codes of XLIFF. */
const otherSpans: ReadonlySet<string> = new Set('c lang g x bx ex ph pc sc ec it mrk xliff:g'.split(' '));

export class LiteralTree implements WritableTree<LiteralNode> {
  kindOf({ kind }: LiteralNode): LiteralNode['kind'] {
    return kind;
  }

  nameOf({ name }: LiteralNode): string {
    return name;
  }

  /** Of a tag as it is written. */
  attributeOf({ open }: LiteralNode, name: string): string | null {
    const values = open.startsWith('<')
      ? new RegExp(`\\s${name}=("[^"]*"|'[^']*'|[^\\s>]*)`, 'i').exec(open)
      : null;
    return values?.[1]?.replace(/^(["'])(.*)\1$/s, '$2') ?? null;
  }

  textOf({ text }: LiteralNode): string {
    return text;
  }

  setText(node: LiteralNode, text: string): void {
    if (node.text !== text) node.raw = null;
    node.text = text;
  }

  childrenOf({ children }: LiteralNode): readonly LiteralNode[] {
    return children;
  }

  isInline({ name }: LiteralNode): boolean {
    return isInlineName(name) || otherSpans.has(name);
  }

  keepsLines({ name }: LiteralNode): boolean {
    return isPreformattedName(name);
  }

  createText(_near: LiteralNode, text: string): LiteralNode {
    return textNode(text, null);
  }

  cloneElement({ name, open, close }: LiteralNode): LiteralNode {
    return elementNode(name, open, close);
  }

  replace(parent: LiteralNode, old: readonly LiteralNode[], fresh: readonly LiteralNode[]): void {
    const gone = new Set(old);
    const place = parent.children.findIndex((child) => gone.has(child));
    const before = parent.children.slice(0, Math.max(place, 0));
    const after = parent.children.slice(before.length).filter((child) => !gone.has(child));
    parent.children = [...before, ...fresh, ...after];
  }
}

/** Anything that is written, in order: texts, and the marks of elements. */
export interface Written {
  readonly node: LiteralNode;
  readonly role: 'open' | 'close' | 'text';
}

/** Without recursion: marks may be nested deeper than the stack. */
export function* writtenOrder(root: LiteralNode): Generator<Written, void, void> {
  const steps: Written[] = [{ node: root, role: 'open' }];
  for (let step = steps.pop(); step; step = steps.pop()) {
    yield step;
    if (step.role !== 'open') continue;
    const { node } = step;
    steps.push({ node, role: 'close' });
    for (const child of [...node.children].reverse())
      steps.push({ node: child, role: child.kind === 'text' ? 'text' : 'open' });
  }
}

const isTag = /^<(\/?)([a-z][^\s/>.]*)(?:[\s/.][\s\S]*)?>$/i;
/** Elements that are nested deeper are not told from their tags. */
const deepest = 50;

/**
 * Children with tags among them, each written as a point of its own: those that belong together become elements.
 *
 * @param tagOf what a child is written as if it is a tag
 */
export function pairTags(
  children: readonly LiteralNode[],
  tagOf: (node: LiteralNode) => string | null,
): LiteralNode[] {
  const top: LiteralNode[] = [];
  const open: { readonly place: number; readonly name: string }[] = [];
  /** The places of a name among the open tags. */
  const named = new Map<string, number[]>();
  for (const child of children) {
    const [, slash, written = ''] = isTag.exec(tagOf(child) ?? '') ?? [];
    const name = written.toLowerCase();
    const begins = slash === '/' ? named.get(name)?.at(-1) : undefined;
    if (begins !== undefined) {
      for (const one of open.slice(begins)) named.get(one.name)?.pop();
      const inside = top.splice(open[begins]?.place ?? 0);
      const [first, ...rest] = inside as [LiteralNode, ...LiteralNode[]];
      first.close = child.open;
      first.children = rest;
      top.push(first);
      open.length = begins;
      continue;
    }
    if (name !== '' && slash === '' && open.length < deepest) {
      named.set(name, [...(named.get(name) ?? []), open.length]);
      open.push({ place: top.length, name });
    }
    top.push(child);
  }
  return top;
}
