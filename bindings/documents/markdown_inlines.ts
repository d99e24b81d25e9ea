/** The inside of a paragraph of Markdown as a tree that knows how each mark was written. */

import type { SyntaxNode } from '@lezer/common';
import {
  elementNode,
  hiddenNode,
  type LiteralNode,
  pairTags,
  pointNode,
  tagNode,
} from '../markup/literal_tree.js';
import { keptSpans } from '../markup/masks.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { labelOf } from './markdown_label.js';

/** Marks that are nested deeper stay with what is in them. */
const deepest = 50;

const elementNames: Readonly<Record<string, string>> = {
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 's',
  Link: 'a',
};

export const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
};

interface InlineSettings {
  /** The source with characters in place of what is not to be read. */
  readonly masked: string;
  readonly character: string;
  readonly decode: (text: string) => string;
  /** Of links that are defined in the document. */
  readonly labels: ReadonlySet<string>;
}

/** A text that is gathered: as it is written, with what is hidden in it, and as it is read. */
interface Gathered {
  readonly begin: number;
  end: number;
  hidden: string;
  text: string;
}

export class MarkdownInlines {
  readonly #source: string;
  readonly #settings: InlineSettings;

  constructor(source: string, settings: InlineSettings) {
    this.#source = source;
    this.#settings = settings;
  }

  /** The block of a paragraph, a heading, a cell; none where it is empty. */
  blockOf(node: SyntaxNode): { span: Span; root: LiteralNode } | undefined {
    const children = childrenOf(node).filter(({ name }) => name !== 'HeaderMark' && name !== 'TaskMarker');
    const marks = childrenOf(node).filter(({ name }) => name === 'HeaderMark' || name === 'TaskMarker');
    let [begin, end] = [node.from, node.to];
    for (const { from, to } of marks)
      if (from === begin) begin = to;
      else if (to === node.to) end = from;
    // A line under a heading in a quotation has a mark of the quotation before it, which the parser leaves out.
    end -= /[\r\n][\s>]*$/.exec(this.#source.slice(begin, end))?.[0].length ?? 0;
    const text = this.#source.slice(begin, end);
    begin += text.length - text.trimStart().length;
    end = Math.max(begin, end - (text.length - text.trimEnd().length));
    if (begin >= end) return undefined;
    const nodes = this.#nodes(children, [begin, end], 0);
    return { span: [begin, end], root: { ...elementNode('p', '', ''), children: nodes } };
  }

  #nodes(children: readonly SyntaxNode[], [begin, end]: Span, depth: number): LiteralNode[] {
    const nodes: LiteralNode[] = [];
    const tags = new Map<LiteralNode, string>();
    let gathered: Gathered = { begin, end: begin, hidden: '', text: '' };
    let at = begin;
    const gather = (to: number, read?: string) => {
      const hidden = this.#settings.masked.slice(gathered.end, to);
      gathered.hidden += hidden;
      gathered.text += read ?? hidden;
      gathered.end = to;
      at = to;
    };
    const endText = () => {
      nodes.push(...this.#texts(gathered));
      gathered = { begin: at, end: at, hidden: '', text: '' };
    };
    for (const [i, child] of children.entries()) {
      if (child.from < at || child.from >= end) continue;
      gather(child.from);
      if (isText(child.name) || !this.isDefined(child)) {
        if (isText(child.name)) gather(child.to, this.#read(child));
        else {
          endText();
          nodes.push(
            ...this.#nodes(
              childrenOf(child).filter(({ name }) => name !== 'LinkMark'),
              [child.from, child.to],
              depth + 1,
            ),
          );
          gathered = { begin: child.to, end: child.to, hidden: '', text: '' };
          at = child.to;
        }
        continue;
      }
      endText();
      at = child.name === 'HardBreak' ? this.#afterBreak(child, children[i + 1]) : child.to;
      const raw = this.#source.slice(child.from, at);
      const node = this.#node(child, raw, depth);
      if (child.name === 'HTMLTag') tags.set(node, raw);
      nodes.push(node);
      gathered = { begin: at, end: at, hidden: '', text: '' };
    }
    gather(Math.max(end, at));
    endText();
    return pairTags(nodes, (node) => tags.get(node) ?? null);
  }

  #texts({ begin, end, hidden, text: read }: Gathered): LiteralNode[] {
    if (begin === end) return [];
    // The mark of a quotation at the beginning of a line goes with the line break before it.
    const lines = read.split(quoteMark);
    const isLast = (i: number) => i === lines.length - 1;
    const text = lines
      .map((line, i) => (i > 0 ? line.trimStart() : line))
      .map((line, i) => (isLast(i) ? line : line.trimEnd()))
      .join(' ');
    const place = { raw: this.#source.slice(begin, end), begin, mask: this.#settings.character };
    return keptSpans(hidden, text, place).map(({ node }) => node);
  }

  /** What a reader sees of an escape; the marks of a quotation are told apart later. */
  #read({ name, from, to }: SyntaxNode): string {
    if (name === 'Escape') return this.#source.slice(from + 1, to);
    if (name === 'QuoteMark') return quoteMark;
    return name === 'Entity' ? this.#settings.decode(this.#source.slice(from, to)) : '';
  }

  /** After a line break comes what the next line begins with: spaces, the marks of a quotation. */
  #afterBreak({ to }: SyntaxNode, next: SyntaxNode | undefined): number {
    const end = next?.name === 'QuoteMark' ? next.to : to;
    return end + (/^[ \t>]*/.exec(this.#source.slice(end, end + 200))?.[0].length ?? 0);
  }

  /** Whether a node is what it looks like: a link without a definition is a text between brackets. */
  isDefined(node: SyntaxNode | undefined): boolean {
    if (node?.name !== 'Link') return true;
    const inside = childrenOf(node);
    return (
      inside.some(({ name }) => name === 'URL') || this.#settings.labels.has(labelOf(this.#labelOf(node)))
    );
  }

  /** The label that a link without a target names. */
  #labelOf(node: SyntaxNode): string {
    const inside = childrenOf(node);
    const label = inside.find(({ name }) => name === 'LinkLabel');
    const own = label && label.to - label.from > 2 ? label : undefined;
    const marks = inside.filter(({ name }) => name === 'LinkMark');
    return own
      ? this.#source.slice(own.from + 1, own.to - 1)
      : this.#source.slice(marks[0]?.to ?? node.from, marks[1]?.from ?? node.to);
  }

  #node(child: SyntaxNode, raw: string, depth: number): LiteralNode {
    const { name } = child;
    if (name === 'HardBreak') return pointNode('br', raw);
    if (name === 'HTMLTag') return tagNode(raw);
    if (name === 'Comment' || name === 'ProcessingInstruction') return hiddenNode(raw);
    const element = elementNames[name];
    const inside = childrenOf(child);
    const marks = inside.filter(({ name }) => name.endsWith('Mark') && name !== 'QuoteMark');
    const [first, last] = [marks[0], name === 'Link' ? marks[1] : marks.at(-1)];
    if (!element || !first || !last || first === last || depth >= deepest) return pointNode('img', raw);
    const span: Span = [first.to, last.from];
    const within = inside.filter(({ from, to }) => from >= span[0] && to <= span[1]);
    const written = this.#source.slice(last.from, child.to);
    // A link that is named by its own text keeps the name, whatever becomes of the text.
    const isNamedByText = name === 'Link' && (written === ']' || written === '][]');
    const close = isNamedByText ? `][${this.#labelOf(child)}]` : written;
    return {
      ...elementNode(element, this.#source.slice(child.from, span[0]), close),
      children: this.#nodes(within, span, depth + 1),
      raw: isNamedByText ? written : null,
    };
  }
}

/** Stands for a mark of a quotation in what is read. */
const quoteMark = '\0';
const isText = (name: string) => /^(?:Escape|Entity|QuoteMark|LinkMark)$/.test(name);
