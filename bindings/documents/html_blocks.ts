/** Lines of HTML in Markdown: what stands between their tags, which may be opened here and closed elsewhere. */

import { isInlineName, isOpaqueName } from '../markup/elements.js';
import type { Span } from '../tokenizers/aligned_text.js';
import type { Block } from './blocks.js';
import {
  elementNode,
  hiddenNode,
  type LiteralNode,
  pairTags,
  tagName,
  tagNode,
  textNode,
} from './literal_tree.js';

const token = /<!--[\s\S]*?(?:-->|$)|<[/?!]?[a-z][^>]*(?:>|$)|[^<]+|</gi;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00A0' };
const readable = (raw: string) => raw.replace(/&(amp|lt|gt|quot|nbsp);/g, (_, name) => entities[name] ?? '');

/** Texts end at the tags of blocks, as on a page; what code, styles and the like contain is none. */
export function htmlBlocks(source: string, [from, to]: Span): Block[] {
  const blocks: Block[] = [];
  let nodes: LiteralNode[] = [];
  let begin = from;
  let closing: string | null = null;
  const end = (at: number) => {
    if (nodes.length > 0)
      blocks.push({
        span: [begin, at],
        isHtml: true,
        root: { ...elementNode('div', '', ''), children: pairTags(nodes, tagOf) },
      });
    nodes = [];
  };
  for (const { index, 0: raw } of source.slice(from, to).matchAll(token)) {
    const name = tagName(raw);
    const isBlock = name !== '' && !isInlineName(name);
    if (closing === null && (isBlock || isOpaqueName(name))) end(from + index);
    if (closing === null && isOpaqueName(name) && !raw.startsWith('</')) closing = name;
    if (closing === null && !isBlock) {
      if (nodes.length === 0) begin = from + index;
      nodes.push(nodeOf(raw));
    }
    if (closing === name && raw.startsWith('</')) closing = null;
  }
  end(to);
  return blocks;
}

function nodeOf(raw: string): LiteralNode {
  if (/^<[/a-z]/i.test(raw)) return tagNode(raw);
  return /^<[!?]/.test(raw) ? hiddenNode(raw) : textNode(readable(raw), raw);
}

const tagOf = ({ kind, open }: LiteralNode) => (kind === 'element' ? open : null);
