/** Translates documents of all kinds: each is loaded with the first document of its kind. */

import { translateHtml } from '../markup/translate_html.js';
import type { TranslateTexts } from '../markup/translate_runs.js';
import type { DocumentKind, DocumentSettings, TranslatedDocument } from './document.js';

/** @throws what `translate` throws; TransformerError `invalid_argument` for a document beyond all measure. */
export async function translateDocument(
  source: string,
  kind: DocumentKind,
  translate: TranslateTexts,
  { wrapped, attributes = [] }: DocumentSettings = {},
): Promise<TranslatedDocument> {
  switch (kind) {
    case 'text':
      return (await import('./plain_text.js')).translatePlainText(source, translate, wrapped);
    case 'markdown':
      return (await import('./markdown.js')).translateMarkdown(source, translate);
    case 'html':
      return { text: await translateHtml(source, translate, attributes), parts: [] };
    default:
      return (await import('./subtitles.js')).translateSubtitles(source, kind, translate);
  }
}
