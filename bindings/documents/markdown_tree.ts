/** Markdown parsed by Lezer, as GitHub does, with what sites add to it. The build bundles the parser into this file. */

import type { Tree } from '@lezer/common';
import {
  type BlockContext,
  type BlockParser,
  GFM,
  InlineContext,
  type Line,
  type MarkdownConfig,
  parser,
} from '@lezer/markdown';
import type { Pause } from '../markup/blocks.js';
import { labelOf } from './markdown_label.js';

/**
 * Of a paragraph: longer ones, and those with more marks, are not looked into, since some take the square of their
 * length.
 */
const longest = 1 << 16;
const mostMarks = 2000;
/** Quotations and lists in one another: deeper ones are not looked into. */
const deepest = 100;

/** Of a line that begins a container, whose parts may be told apart in several ways. */
const longestOpening = 300;

const rest = (line: Line) => line.text.slice(line.pos);

/**
 * Blocks that are kept: lines of nothing but hidden characters, formulas between dollars. Notes at the foot,
 * definitions and admonitions hold blocks, as the items of lists do.
 */
function extensions(hidden: string, labels: ReadonlySet<string>): MarkdownConfig {
  const isHidden = new RegExp(`^(?:${hidden}+\\s*)+$`);
  const isKept = (line: Line) => isHidden.test(rest(line)) || line.text.startsWith('$$', line.pos);
  return {
    parseInline: [
      { name: 'SingleTilde', parse: parseTilde, before: 'Strikethrough' },
      { name: 'NoLink', parse: bracketsOutside(labels), before: 'LinkEnd' },
    ],
    defineNodes: [
      { name: 'Kept', block: true },
      { name: 'Opening', block: true },
      { name: 'Title', block: true },
      {
        name: 'Indented',
        block: true,
        composite(_context, line, indent) {
          if (line.indent < line.baseIndent + indent && line.next > -1) return false;
          line.moveBaseColumn(line.baseIndent + indent);
          return true;
        },
      },
    ],
    parseBlock: [
      {
        name: 'Deep',
        before: 'Blockquote',
        parse: (context, line) => context.depth >= deepest && keep(context, line),
      },
      {
        name: 'Kept',
        before: 'LinkReference',
        parse: (context, line) => isKept(line) && keep(context, line, line.text.startsWith('$$', line.pos)),
        endLeaf: (_context, line) => isKept(line),
      },
      {
        name: 'Indented',
        before: 'LinkReference',
        parse(context: BlockContext, line: Line) {
          const mark = indenting.exec(rest(line))?.[0];
          if (mark === undefined) return false;
          context.startComposite('Indented', line.pos, 4);
          line.moveBase(line.pos + mark.length);
          return null;
        },
        endLeaf: (_context, line) => indenting.test(rest(line)),
      },
      opening(openingsIn(hidden)),
      long,
    ],
  };
}

/** Paragraphs that are not looked into. */
const long: BlockParser = {
  name: 'Long',
  leaf: () => ({
    nextLine: () => false,
    finish(context, leaf) {
      const { start, content } = leaf;
      const marks = content.length > mostMarks ? (content.match(/[*_~`[\]<&!]/g)?.length ?? 0) : 0;
      if (content.length <= longest && marks <= mostMarks) return false;
      context.addLeafElement(leaf, context.elt('Kept', start, start + content.length));
      return true;
    },
  }),
};

const definition = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*\[((?:[^[\]\\]|\\[\s\S]){1,999})\]:/gm;

/**
 * For the parser each pair of brackets is a link, which cannot be within another one; without a definition it is a
 * text.
 */
const bracketsOutside =
  (labels: ReadonlySet<string>) =>
  (context: InlineContext, next: number, place: number): number => {
    const after = context.slice(place + 1, Math.min(place + 1001, context.end));
    if (next !== ']'.charCodeAt(0) || after.startsWith('(')) return -1;
    const opening = context.findOpeningDelimiter(InlineContext.linkStart);
    const picture = context.findOpeningDelimiter(InlineContext.imageStart);
    if (opening === null || (picture ?? -1) > opening) return -1;
    const from = context.getDelimiterAt(opening)?.to ?? place;
    const [, label = ''] = /^\[((?:[^[\]\\]|\\[\s\S])+)\]/.exec(after) ?? [];
    if (labels.has(labelOf(label === '' ? context.slice(from, place) : label))) return -1;
    for (const element of context.takeContent(opening)) context.addElement(element);
    return place + 1;
  };

const singleTilde = { resolve: 'Strikethrough', mark: 'StrikethroughMark' };
const punctuation = /[\p{P}\p{S}]/u;

/** On GitHub one tilde does what two do. */
function parseTilde(context: InlineContext, next: number, place: number): number {
  const tilde = 126;
  if (next !== tilde || context.char(place + 1) === tilde || context.char(place - 1) === tilde) return -1;
  const [before, after] = [context.slice(place - 1, place), context.slice(place + 1, place + 2)];
  const isOpening =
    /\S/.test(after) && (!punctuation.test(after) || !/\S/.test(before) || punctuation.test(before));
  const isClosing =
    /\S/.test(before) && (!punctuation.test(before) || !/\S/.test(after) || punctuation.test(after));
  return context.addDelimiter(singleTilde, place, place + 1, isOpening, isClosing);
}

/** Notes at the foot, definitions of terms: what follows them may be indented. */
const indenting = /^(?:\[\^[^\]\s]+\]:[ \t]*|:[ \t]+(?=\S))/;
/** Lines that begin something, with a title: containers, MkDocs' admonitions and tabs, alerts in a quotation. */
const admonition =
  /^((?:(?:!!!|\?\?\?\+?)(?:[ \t]+[\w-]+)+(?:[ \t]+"|[ \t]*$)|===[!+]?[ \t]+"))([^"]*)"?\s*$/;
const alert = /^(\[![\w-]+\][+-]?[ \t]*)(.*)$/;

type FindOpening = (context: BlockContext, line: Line) => RegExpExecArray | null;

/** @param hidden the character that stands for what is not to be read */
function openingsIn(hidden: string): FindOpening {
  const container = new RegExp(
    String.raw`^(:{3,}[ \t]*(?:\{[^{}]*\}|${hidden}+|[\w-]+)?(?:\[|[ \t]+(?=\S))?)([^[\]{}:${hidden}]*)[\]\s:${hidden}]*(?:\{[^{}]*\}[\s:]*)?$`,
  );
  return (context, line) => {
    const text = rest(line);
    if (text.length > longestOpening) return null;
    if (text.startsWith('[!')) return context.parentType().name === 'Blockquote' ? alert.exec(text) : null;
    return text.startsWith(':') ? container.exec(text) : admonition.exec(text);
  };
}

const opening = (find: FindOpening): BlockParser => ({
  name: 'Opening',
  before: 'LinkReference',
  parse(context, line) {
    const found = find(context, line);
    if (!found) return false;
    const [, mark = '', title = ''] = found;
    const begin = context.lineStart + line.pos;
    const isIndenting = /^[!?=]/.test(mark);
    if (isIndenting) context.startComposite('Indented', line.pos, 4);
    context.addElement(context.elt('Opening', begin, begin + mark.trimEnd().length));
    const [from, to] = [begin + mark.length, begin + mark.length + title.length];
    if (title !== '')
      context.addElement(context.elt('Title', from, to, context.parser.parseInline(title, from)));
    if (isIndenting) line.moveBase(line.text.length);
    else context.nextLine();
    return isIndenting ? null : true;
  },
  endLeaf: (context, line) => find(context, line) !== null,
});

/** A line, or the lines of a formula up to the dollars that end it. */
function keep(context: BlockContext, line: Line, isFormula = false): true {
  const start = context.lineStart + line.pos;
  let isOpen = isFormula && !rest(line).slice(2).includes('$$');
  while (isOpen && context.nextLine()) isOpen = !line.text.includes('$$');
  const end = Math.max(context.lineStart + line.text.length, start);
  context.nextLine();
  context.addElement(context.elt('Kept', start, Math.min(end, context.parsedPos)));
  return true;
}

/** @param hidden the character that stands for what is not to be read */
export async function parseMarkdown(
  source: string,
  { hidden, isMdx, pause }: { hidden: string; isMdx: boolean; pause: Pause },
): Promise<Tree> {
  // In MDX, tags are not lines of HTML, and what stands within them may be indented.
  const remove = isMdx ? ['HTMLBlock', 'IndentedCode', 'Autolink'] : [];
  const labels = new Set(Array.from(source.matchAll(definition), ([, label = '']) => labelOf(label)));
  const parse = parser.configure([GFM, extensions(hidden, labels), { remove }]).startParse(source);
  for (;;) {
    const tree = parse.advance();
    if (tree) return tree;
    await pause();
  }
}
