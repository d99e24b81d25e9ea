/** Parts of a text that its parser must not read: they are hidden from it as characters that mean nothing. */

import { hiddenNode, type LiteralNode, pointNode, textNode } from './literal_tree.js';

export interface Masked {
  readonly text: string;
  /** What stands for each character that is hidden, line breaks apart. */
  readonly character: string;
}

/** A text of the same length, without what fits the patterns. */
export function masked(source: string, patterns: readonly RegExp[]): Masked {
  // A symbol, as most of what is hidden begins and ends with: in Markdown, emphasis beside it is told by that.
  let code = 0x2801;
  while (source.includes(String.fromCharCode(code))) code++;
  const character = String.fromCharCode(code);
  const hide = (match: string) => match.replace(/[^\r\n]/g, character);
  return { text: patterns.reduce((text, pattern) => text.replace(pattern, hide), source), character };
}

interface KeptPlace {
  /** What stands there in the source, and where. */
  readonly raw: string;
  readonly begin: number;
  readonly mask: string;
}

interface PlacedNode {
  readonly node: LiteralNode;
  readonly begin: number;
  readonly end: number;
}

/**
 * A text as nodes: what was hidden in it comes back as points.
 *
 * @param hidden the text with its hidden parts
 * @param text the same as it is read, with its character references
 */
export function keptSpans(hidden: string, text: string, { raw, begin, mask }: KeptPlace): PlacedNode[] {
  if (!hidden.includes(mask)) return [{ node: textNode(text, raw), begin, end: begin + raw.length }];
  const runs = new RegExp(`(${mask}+(?:[\\r\\n]+${mask}+)*)`);
  const read = text.split(runs);
  let at = 0;
  return hidden.split(runs).flatMap((piece, i) => {
    const own = raw.slice(at, at + piece.length);
    const from = begin + at;
    at += piece.length;
    if (piece === '') return [];
    const node = i % 2 === 0 ? textNode(read[i] ?? own, own) : keptNode(own);
    return [{ node, begin: from, end: begin + at }];
  });
}

/** Instructions join the words beside them; what is shown in a text stands between words. */
const keptNode = (own: string): LiteralNode =>
  own.startsWith('{%') ? hiddenNode(own) : pointNode('img', own);
