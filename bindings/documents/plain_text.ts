/** Plain text, translated a few paragraphs at a time, so that a book can be stopped and gone on with. */

import type { TranslateTexts } from '../markup/translate_runs.js';
import type { Span } from '../tokenizers/aligned_text.js';
import type { TranslatedDocument } from './document.js';

/** The least length of a piece, in UTF-16 units. */
const least = 2000;

/**
 * The prefix that tells some models the language or the task: it belongs to the whole text, which then stays one piece.
 */
const prefix = /^\s*(>>[\w-]+<<|<2[\w-]+>|translate \p{L}+ to \p{L}+: )/u;

/** Whole lines, or whole paragraphs if lines are wrapped. */
export function piecesOf(source: string, wrapped = false): Span[] {
  const pieces: Span[] = [];
  if (prefix.test(source)) return [[0, source.length]];
  const ends = wrapped ? /(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)/g : /\r\n?|\n/g;
  let begin = 0;
  for (const { index, 0: end } of source.matchAll(ends)) {
    if (index + end.length - begin < least) continue;
    pieces.push([begin, index + end.length]);
    begin = index + end.length;
  }
  return begin < source.length ? [...pieces, [begin, source.length]] : pieces;
}

export async function translatePlainText(
  source: string,
  translate: TranslateTexts,
  wrapped?: boolean,
): Promise<Omit<TranslatedDocument, 'untranslated'>> {
  const pieces = piecesOf(source, wrapped);
  const translations = await translate(
    pieces.map((piece) => source.slice(...piece)),
    false,
  );
  let text = '';
  const parts = translations.flatMap((translation, i) => {
    const begin = text.length;
    const from = pieces[i]?.[0] ?? 0;
    text += translation.text;
    return translation.sentences.map(({ source, target }) => ({
      source: [from + source[0], from + source[1]] as Span,
      target: [begin + target[0], begin + target[1]] as Span,
    }));
  });
  return { text, parts };
}
