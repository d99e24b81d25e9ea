/** Markdown parsed by micromark, as GitHub does. The build bundles the parser into this file. */

import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export type MarkdownNode = Nodes;

/** With the place of each node in the text. */
export const parseMarkdown = (source: string): MarkdownNode =>
  fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
