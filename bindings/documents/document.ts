/** Documents: the text of a file, of which only what people read is translated. */

import type { ReadableAttribute } from '../texts/options.js';
import type { Span } from '../tokenizers/aligned_text.js';

export const documentKinds = ['text', 'markdown', 'html', 'srt', 'vtt'] as const;
/** Plain text, Markdown (GitHub's, with front matter), HTML, and subtitles: SubRip and WebVTT. */
export type DocumentKind = (typeof documentKinds)[number];

/** A part of a document that was translated. */
export interface DocumentPart {
  /** Its range in the document, in UTF-16 units. */
  source: Span;
  /** The range of its translation in the translated document. */
  target: Span;
}

export interface TranslatedDocument {
  text: string;
  /**
   * In order: the sentences of plain text, the blocks of Markdown, the cues of subtitles. None for HTML, which is written
   * anew.
   */
  parts: DocumentPart[];
}

export interface DocumentSettings {
  /** Whether the lines of plain text are wrapped. */
  readonly wrapped?: boolean | undefined;
  /** Which attributes of HTML are translated. */
  readonly attributes?: readonly ReadableAttribute[] | undefined;
}

const kindsByExtension: Readonly<Record<string, DocumentKind>> = {
  txt: 'text',
  text: 'text',
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  srt: 'srt',
  vtt: 'vtt',
};

/** The kind that a file's name tells; `undefined` for one that is not known. */
export function kindOf(name: string): DocumentKind | undefined {
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(kindsByExtension, extension) ? kindsByExtension[extension] : undefined;
}

/** The number of words of a document, estimated by its white space. */
export const wordsIn = (text: string): number => text.match(/\p{L}[^\s]*/gu)?.length ?? 0;
