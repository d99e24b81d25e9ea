/** Markup as a tree: by the browser's parser, or else by parse5, which is loaded then. */

import { fail } from '../values/errors.js';
import type { ParsedTree } from './tree.js';

/** The longest markup that is parsed, in characters. */
const longest = 2 ** 26;

/** Whether a text is a whole page, and not a part of one. */
function isDocument(html: string): boolean {
  let at = 0;
  for (;;) {
    while (/[\s\uFEFF]/.test(html[at] ?? '')) at++;
    if (!html.startsWith('<!--', at)) break;
    const end = html.indexOf('-->', at);
    if (end < 0) break;
    at = end + 3;
  }
  return /^<(!doctype|html|head|body)\b/i.test(html.slice(at, at + 16));
}

/** @throws TransformerError `invalid_argument` for markup beyond all measure. */
export async function parseHtml(html: string): Promise<ParsedTree<unknown>> {
  const refuse = (reason: string) => fail('invalid_argument', `the markup cannot be translated: ${reason}`);
  if (html.length > longest)
    refuse(`it has ${html.length} characters, more than the ${longest} that are parsed at once`);
  const { parseInBrowser } = await import('./dom_tree.js');
  const whole = isDocument(html);
  const tree = parseInBrowser(html, whole);
  if (tree) return tree as ParsedTree<unknown>;
  const { parseWithParse5 } = await import('./parse5_tree.js');
  return parseWithParse5(html, whole, refuse);
}
