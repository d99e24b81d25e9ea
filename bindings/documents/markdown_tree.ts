/** Markdown parsed by Lezer, as GitHub does, with what sites add to it. The build bundles the parser into this file. */

import type { Tree } from '@lezer/common';
import { type BlockContext, GFM, type Line, type MarkdownConfig, parser } from '@lezer/markdown';
import type { Pause } from '../markup/blocks.js';

/** Of a paragraph: longer ones, and those with more marks, are not looked into, since some take the square of their length. */
const longest = 1 << 16;
const mostMarks = 2000;
/** Quotations and lists in one another: deeper ones are not looked into. */
const deepest = 100;

const rest = (line: Line) => line.text.slice(line.pos);

/**
 * Blocks that are kept: lines of nothing but hidden characters, formulas between dollars. Notes at the foot hold blocks, as
 * the items of lists do.
 */
function extensions(hidden: string): MarkdownConfig {
  const isHidden = new RegExp(`^(?:${hidden}+\\s*)+$`);
  const isKept = (line: Line) => isHidden.test(rest(line)) || line.text.startsWith('$$', line.pos);
  const note = /^\[\^[^\]\s]+\]:[ \t]*/;
  return {
    defineNodes: [
      { name: 'Kept', block: true },
      {
        name: 'Footnote',
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
        name: 'Footnote',
        before: 'LinkReference',
        parse(context: BlockContext, line: Line) {
          const mark = note.exec(rest(line))?.[0];
          if (mark === undefined) return false;
          context.startComposite('Footnote', line.pos, 4);
          line.moveBase(line.pos + mark.length);
          return null;
        },
        endLeaf: (_context, line) => note.test(rest(line)),
      },
      {
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
      },
    ],
  };
}

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
  const parse = parser.configure([GFM, extensions(hidden), { remove }]).startParse(source);
  for (;;) {
    const tree = parse.advance();
    if (tree) return tree;
    await pause();
  }
}
