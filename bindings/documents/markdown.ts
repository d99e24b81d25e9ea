/**
 * Markdown: paragraphs, headings and cells of tables are translated. Code, the targets of links, pictures, definitions,
 * formulas, templates and front matter stay as they are.
 */

import type { SyntaxNode, Tree } from '@lezer/common';
import type { Block, Mark, Pause, Reading } from '../markup/blocks.js';
import { readHtml } from '../markup/html_blocks.js';
import type { LiteralNode } from '../markup/literal_tree.js';
import { masked } from '../markup/masks.js';
import { inDocuments } from '../texts/kept_patterns.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import { childrenOf, MarkdownInlines } from './markdown_inlines.js';
import { labelOf } from './markdown_label.js';
import { writeMarkdown } from './write_markdown.js';

/** The longest document that is parsed, in UTF-16 units. */
const longest = 2 ** 24;

/** Data at the very beginning: YAML, TOML, JSON. As in Pandoc, no empty line follows its first one. */
const frontMatter =
  /^(?:---[ \t]*\r?\n(?=[^\r\n])(?:[^\n]*\n)*?(?:---|\.\.\.)|(\+\+\+|;;;)[ \t]*\r?\n(?=[^\r\n])(?:[^\n]*\n)*?\1|\{[ \t]*\r?\n[ \t]*"[^\n]*\n(?:[^\n]*\n)*?\})[ \t]*(?:\r?\n|$)/;

export const readMarkdown =
  (isMdx = false) =>
  async (source: string, pause: Pause): Promise<Reading> => {
    if (source.length > longest)
      fail(
        'invalid_argument',
        `the document has ${source.length} characters, more than the ${longest} parsed`,
      );
    const { parseMarkdown } = await import('./markdown_tree.js');
    const { decodeCharacters } = await import('../markup/html_tokens.js');
    const front = frontMatter.exec(source)?.[0] ?? '';
    const blank = front.replace(/[^\r\n]/g, ' ');
    const { text, character } = masked(
      blank + source.slice(front.length),
      inDocuments[isMdx ? 'mdx' : 'markdown'],
    );
    const tree = await parseMarkdown(text, { hidden: character, isMdx, pause });
    const reader = new MarkdownReader(
      source,
      text,
      tree,
      (found) => new MarkdownInlines(source, { masked: text, character, decode: decodeCharacters, ...found }),
    );
    return reader.read(pause);
  };

const leaves = /^(?:Paragraph|ATXHeading\d|SetextHeading\d|TableCell|Task|Title)$/;
const html = /^(?:HTMLBlock|CommentBlock|ProcessingInstructionBlock)$/;
/** What a translation must have exactly as its source. */
const literal =
  /^(?:FencedCode|CodeBlock|InlineCode|LinkReference|URL|Autolink|HTMLTag|Comment|Kept|Opening|HorizontalRule|CodeText)$/;
const unmarked =
  /^(?:.*Mark|Escape|Entity|HardBreak|Document|LinkTitle|LinkLabel|CodeInfo|TaskMarker|TableDelimiter)$/;

/** Emphasis is written with tags where its marks would be text. */
const emphases: Readonly<Record<string, string>> = {
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 'del',
  '<em>': 'em',
  '</em>': 'em',
  '<strong>': 'strong',
  '</strong>': 'strong',
  '<del>': 'del',
  '</del>': 'del',
};

class MarkdownReader {
  readonly #source: string;
  readonly #masked: string;
  readonly #tree: Tree;
  readonly #inlinesWith: (found: { labels: ReadonlySet<string> }) => MarkdownInlines;

  constructor(
    source: string,
    masked: string,
    tree: Tree,
    inlinesWith: (found: { labels: ReadonlySet<string> }) => MarkdownInlines,
  ) {
    this.#source = source;
    this.#masked = masked;
    this.#tree = tree;
    this.#inlinesWith = inlinesWith;
  }

  async read(pause: Pause): Promise<Reading> {
    const labels = new Set<string>();
    const links = new Map<Mark, SyntaxNode>();
    const [found, marks, left]: [SyntaxNode[], Mark[], Span[]] = [[], [], []];
    const cursor = this.#tree.cursor();
    do {
      const { name, from, to } = cursor;
      if (leaves.test(name) || html.test(name)) found.push(cursor.node);
      if (name === 'LinkReference') labels.add(labelOf(this.#labelIn(cursor.node)));
      if (
        name === 'Kept' &&
        /\p{L}/u.test(this.#masked.slice(from, to)) &&
        !this.#source.startsWith('$$', from)
      )
        left.push([from, to]);
      const mark = unmarked.test(name) ? undefined : this.#markOf(name, [from, to]);
      if (mark) marks.push(mark);
      if (mark && name === 'Link') links.set(mark, cursor.node);
      await pause();
    } while (cursor.next());
    const inlines = this.#inlinesWith({ labels });
    const blocks: Block[] = [];
    for (const node of found) {
      if (html.test(node.name)) for (const block of await this.#htmlBlocks(node)) blocks.push(block);
      else {
        const block = inlines.blockOf(node);
        const write = (root: LiteralNode) => writeMarkdown(root, { kind: node.name, labels });
        if (block) blocks.push({ ...block, write });
      }
      await pause();
    }
    const isLink = (mark: Mark) => inlines.isDefined(links.get(mark));
    return { blocks, marks: marks.filter(isLink), left };
  }

  #labelIn(node: SyntaxNode): string {
    const { from, to } = node.firstChild ?? node;
    return this.#source.slice(from + 1, to - 1);
  }

  #markOf(name: string, [from, to]: Span): Mark {
    const raw = literal.test(name) ? this.#source.slice(from, to) : '';
    const emphasis = emphases[name] ?? emphases[name === 'HTMLTag' ? raw : ''];
    if (emphasis) return { begin: from, key: emphasis, how: 'perhaps' };
    return { begin: from, key: `${name} ${raw}`, how: /Code|^Kept|^Opening/.test(name) ? 'once' : 'some' };
  }

  /** Lines of HTML; the marks of a quotation around them are not part of it. */
  async #htmlBlocks(node: SyntaxNode): Promise<Block[]> {
    const { from, to } = node;
    const own = childrenOf(node).filter(({ name }) => name === 'QuoteMark');
    let text = this.#source.slice(from, to);
    for (const mark of own) text = `${text.slice(0, mark.from - from)} ${text.slice(mark.to - from)}`;
    const { blocks } = await readHtml(text, { keepsLists: true });
    // An empty line would end the block.
    const isInOne = !/\n[ \t]*\r?\n/.test(text);
    return blocks
      .filter(({ span }) => !own.some((mark) => mark.from - from >= span[0] && mark.from - from < span[1]))
      .map(({ span, root, write }) => ({
        span: [span[0] + from, span[1] + from],
        root,
        write: (root) => (isInOne ? write(root).replace(/(\r?\n)(?:[ \t]*\r?\n)+/g, '$1') : write(root)),
      }));
  }
}
