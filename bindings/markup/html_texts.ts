/** What HTML asks of texts: how they are written, where elements end without a tag. */

import type { Span } from '../tokenizers/aligned_text.js';
import { type LiteralNode, writtenOrder } from './literal_tree.js';

/** Without white space and comments around them, which are not part of a block. */
export function trimmed(
  all: readonly LiteralNode[],
  [from, to]: Span,
): { nodes: LiteralNode[]; begin: number; end: number } {
  const isEmpty = ({ kind, text }: LiteralNode) =>
    kind === 'other' || (kind === 'text' && text.trim() === '');
  const lengthOf = ({ kind, raw, open }: LiteralNode) => (kind === 'text' ? (raw ?? '') : open).length;
  let [first, last, begin, end] = [0, all.length, from, to];
  for (let node = all[first]; node && isEmpty(node); node = all[++first]) begin += lengthOf(node);
  for (let node = all[last - 1]; last > first && node && isEmpty(node); node = all[--last - 1])
    end -= lengthOf(node);
  const nodes = all.slice(first, last);
  for (const side of ['trimStart', 'trimEnd'] as const) {
    const node = side === 'trimStart' ? nodes[0] : nodes.at(-1);
    const raw = node?.kind === 'text' ? (node.raw ?? '') : '';
    const cut = raw.length - raw[side]().length;
    if (!node || cut === 0) continue;
    node.text = node.text[side]();
    node.raw = raw[side]();
    if (side === 'trimStart') begin += cut;
    else end -= cut;
  }
  return { nodes, begin, end };
}

const endings: Readonly<Record<string, RegExp>> = {
  p: /^(address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|fig.*|footer|form|h[1-6]|h[rg].*|header|main|menu|nav|ol|p|pre|section|summary|table|ul)$/,
  li: /^li$/,
  dt: /^d[dt]$/,
  dd: /^d[dt]$/,
  td: /^t([dhr]|body|foot)$/,
  th: /^t([dhr]|body|foot)$/,
  tr: /^t(r|body|foot)$/,
  option: /^opt(ion|group)$/,
};
/** Whether an element whose end tag may be left out ends where another begins. */
export const isEndedBy = (open: string, next: string) => endings[open]?.test(next) ?? false;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};
export const escapedHtml = (text: string): string =>
  text.replace(/[&<>]/g, (character) => escapes[character] ?? '');

export const attributeValue = (text: string, quote: string): string => {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  if (quote === "'") return escaped.replaceAll("'", '&#39;');
  return quote === '"' ? escaped : `"${escaped}"`;
};

export const textsOf = (root: LiteralNode): string =>
  Array.from(writtenOrder(root), ({ node, role }) => (role === 'text' ? node.text : '')).join('');

/** What a model writes is text in it, never markup. */
export function writeHtml(root: LiteralNode): string {
  const write = ({ node, role }: { node: LiteralNode; role: 'open' | 'close' | 'text' }) =>
    role === 'text' ? (node.raw ?? escapedHtml(node.text)) : node[role];
  return Array.from(writtenOrder(root), write).join('');
}
