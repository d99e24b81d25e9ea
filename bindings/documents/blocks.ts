/** The parts of a document that people read. What stands between them stays byte for byte. */

import { findRuns, survey } from '../markup/runs.js';
import { type TranslateTexts, translateSegments, writeRun } from '../markup/translate_runs.js';
import type { Span } from '../tokenizers/aligned_text.js';
import type { DocumentPart, TranslatedDocument } from './document.js';
import { type LiteralNode, LiteralTree } from './literal_tree.js';

/** A range of a document, and what stands in it. */
export interface Block {
  readonly span: Span;
  /** An element of its own, which is not written. */
  readonly root: LiteralNode;
  /** Whether its texts are written as HTML has them. */
  readonly isHtml?: boolean;
}

/** A part of a document with its new text. */
export interface Replacement {
  readonly span: Span;
  readonly text: string;
}

/** Puts new texts into a document, in order. */
export function replaceIn(source: string, replacements: readonly Replacement[]): TranslatedDocument {
  const parts: DocumentPart[] = [];
  const texts: string[] = [];
  let [at, length] = [0, 0];
  const add = (text: string) => {
    texts.push(text);
    length += text.length;
  };
  for (const { span, text } of replacements) {
    add(source.slice(at, span[0]));
    const begin = length;
    add(text);
    parts.push({ source: span, target: [begin, length] });
    at = span[1];
  }
  add(source.slice(at));
  return { text: texts.join(''), parts };
}

/** @param write writes a translated block as the format wants it */
export async function translateBlocks(
  source: string,
  blocks: readonly Block[],
  translate: TranslateTexts,
  write: (block: Block) => string,
): Promise<TranslatedDocument> {
  const tree = new LiteralTree();
  const found = blocks.map((block) => {
    const runs = findRuns(tree, block.root, survey(tree, block.root));
    return { block, runs };
  });
  const translations = await translateSegments(
    found.flatMap(({ runs }) => runs),
    translate,
  );
  const replacements = found.flatMap(({ block, runs }) => {
    if (runs.length === 0) return [];
    for (const run of runs) writeRun(tree, run, translations);
    return [{ span: block.span, text: write(block) }];
  });
  return replaceIn(source, replacements);
}
