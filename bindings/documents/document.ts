/** Documents: the text of a file, of which only what people read is translated. */

import type { ReadableAttribute } from '../texts/options.js';
import type { Span } from '../tokenizers/aligned_text.js';

export const documentKinds = [
  'text',
  'markdown',
  'mdx',
  'html',
  'srt',
  'vtt',
  'json',
  'arb',
  'yaml',
  'po',
  'xliff',
  'strings',
  'android',
  'properties',
] as const;
/**
 * Plain text, Markdown (GitHub's, with what sites add to it), MDX, HTML, subtitles (SubRip, WebVTT), and files of
 * texts: JSON (i18next, vue-i18n, ICU messages), ARB, YAML, gettext's PO, XLIFF 1.2 and 2, Apple's `.strings`,
 * Android's resources, Java's `.properties`.
 */
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
  /** In order: the sentences of plain text, the blocks of Markdown and HTML, the cues of subtitles. */
  parts: DocumentPart[];
  /**
   * Parts that are given back as they were: their translation would have changed the document's structure, or they are
   * beyond what is parsed.
   */
  untranslated: DocumentPart[];
}

export interface DocumentSettings {
  /** Whether the lines of plain text are wrapped. */
  readonly wrapped?: boolean | undefined;
  /** Which attributes of HTML are translated. */
  readonly attributes?: readonly ReadableAttribute[];
  /** The language that is read: parts of HTML in another stay as they are. */
  readonly sourceLanguage?: string | undefined;
  /** The language that an HTML document is set to be in. */
  readonly lang?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The translation of a block that is known already, as it is written. */
  readonly known?: ((raw: string) => string | undefined) | undefined;
}

const kindsByExtension: Readonly<Record<string, DocumentKind>> = {
  txt: 'text',
  text: 'text',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'mdx',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  srt: 'srt',
  vtt: 'vtt',
  json: 'json',
  arb: 'arb',
  yaml: 'yaml',
  yml: 'yaml',
  po: 'po',
  pot: 'po',
  xlf: 'xliff',
  xliff: 'xliff',
  strings: 'strings',
  properties: 'properties',
};

/** The kind that a file's name tells; `undefined` for one that is not known. */
export function kindOf(name: string): DocumentKind | undefined {
  if (/(?:^|[/\\])(?:strings|arrays|plurals)\.xml$/i.test(name)) return 'android';
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(kindsByExtension, extension) ? kindsByExtension[extension] : undefined;
}

/** The number of words of a document, estimated by its white space. */
export const wordsIn = (text: string): number => text.match(/\p{L}[^\s]*/gu)?.length ?? 0;
