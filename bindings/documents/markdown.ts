/**
 * Markdown: paragraphs, headings and cells of tables are translated. Code, the targets of links, pictures, definitions and
 * front matter stay as they are.
 */

import type { TranslateTexts } from '../markup/translate_runs.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import { type Block, translateBlocks } from './blocks.js';
import type { TranslatedDocument } from './document.js';
import { htmlBlocks } from './html_blocks.js';
import {
  elementNode,
  hiddenNode,
  type LiteralNode,
  pairTags,
  pointNode,
  tagNode,
  textNode,
} from './literal_tree.js';
import type { MarkdownNode } from './markdown_tree.js';
import { writeMarkdown } from './write_markdown.js';

/** The longest document that is parsed, in UTF-16 units. */
const longest = 2 ** 24;
/** Marks that are nested deeper stay with what is in them. */
const deepest = 50;

const blockTypes = new Set(['paragraph', 'heading', 'tableCell']);
const elementNames: Readonly<Record<string, string>> = {
  emphasis: 'em',
  strong: 'strong',
  delete: 's',
  link: 'a',
  linkReference: 'a',
};

/** @throws TransformerError `invalid_argument` for a document beyond all measure. */
export async function translateMarkdown(
  source: string,
  translate: TranslateTexts,
): Promise<TranslatedDocument> {
  if (source.length > longest)
    fail('invalid_argument', `the document has ${source.length} characters, more than the ${longest} parsed`);
  const { parseMarkdown } = await import('./markdown_tree.js');
  const blocks = blocksOf(source, parseMarkdown(withoutFrontMatter(source)));
  return translateBlocks(source, blocks, translate, writeMarkdown);
}

/** Data at the beginning (YAML, TOML) as empty lines, so that places stay what they are. */
const withoutFrontMatter = (source: string): string =>
  source.replace(/^\uFEFF?(---|\+\+\+)[ \t]*\r?\n[\s\S]*?^\1[ \t]*$/m, (data) =>
    data.replace(/[^\r\n]/g, ' '),
  );

const spanOf = ({ position }: MarkdownNode): Span => [position?.start.offset ?? 0, position?.end.offset ?? 0];
const childrenOf = (node: MarkdownNode): readonly MarkdownNode[] => ('children' in node ? node.children : []);

/** The text within the marks of a node. */
function insideOf(node: MarkdownNode): Span | null {
  const children = childrenOf(node);
  const [first, last] = [children[0], children.at(-1)];
  return first && last ? [spanOf(first)[0], spanOf(last)[1]] : null;
}

function blocksOf(source: string, root: MarkdownNode): Block[] {
  const blocks: Block[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === 'html') blocks.push(...htmlBlocks(source, spanOf(node)));
    const span = blockTypes.has(node.type) ? insideOf(node) : null;
    if (span) blocks.push({ span, root: rootOf(source, node) });
    else open.push(...[...childrenOf(node)].reverse());
  }
  return blocks;
}

const rootOf = (source: string, node: MarkdownNode): LiteralNode => ({
  ...elementNode('p', '', ''),
  children: inlineNodes(source, childrenOf(node), 0),
});

function inlineNodes(source: string, children: readonly MarkdownNode[], depth: number): LiteralNode[] {
  const tags = new Map<LiteralNode, string>();
  const nodes = children.map((child, i) => {
    const next = children[i + 1];
    const [begin, end] = spanOf(child);
    // After a line break comes what the next line begins with: the mark of a quotation.
    const raw = source.slice(begin, child.type === 'break' && next ? spanOf(next)[0] : end);
    const node = inlineNode(source, child, raw, depth);
    if (child.type === 'html') tags.set(node, raw);
    return node;
  });
  return pairTags(nodes, (node) => tags.get(node) ?? null);
}

function inlineNode(source: string, child: MarkdownNode, raw: string, depth: number): LiteralNode {
  if (child.type === 'text') return textNode(child.value, raw);
  if (child.type === 'break') return pointNode('br', raw);
  if (child.type === 'html') return raw.startsWith('<!--') ? hiddenNode(raw) : tagNode(raw);
  const name = elementNames[child.type];
  const inside = insideOf(child);
  const isAddress = name === 'a' && !raw.startsWith('[');
  if (name === undefined || inside === null || isAddress || depth >= deepest) return pointNode('img', raw);
  const [begin, end] = spanOf(child);
  return {
    ...elementNode(name, source.slice(begin, inside[0]), closeOf(child, source.slice(inside[1], end))),
    children: inlineNodes(source, childrenOf(child), depth + 1),
  };
}

/** A link that is named by its own text keeps the name, whatever becomes of the text. */
const closeOf = (node: MarkdownNode, close: string): string =>
  node.type === 'linkReference' && node.referenceType !== 'full'
    ? `][${node.label ?? node.identifier}]`
    : close;
