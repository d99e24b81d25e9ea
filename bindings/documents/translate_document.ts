/** Translates documents of all kinds: each is loaded with the first document of its kind. */

import { type Reader, rewrite } from '../markup/blocks.js';
import { pauses } from '../markup/pauses.js';
import type { TranslateTexts } from '../markup/translate_runs.js';
import type { DocumentKind, DocumentPart, DocumentSettings, TranslatedDocument } from './document.js';

/**
 * @throws what `translate` throws; TransformerError `invalid_argument` for a document that cannot be read; the signal's
 *   reason.
 */
export async function translateDocument(
  source: string,
  kind: DocumentKind,
  translate: TranslateTexts,
  settings: DocumentSettings = {},
): Promise<TranslatedDocument> {
  const pause = pauses(settings.signal);
  if (kind === 'text') {
    const { translatePlainText } = await import('./plain_text.js');
    return { ...(await translatePlainText(source, translate, settings.wrapped)), untranslated: [] };
  }
  // A byte order mark is no part of what is read, but of every place in it.
  const mark = source.startsWith('\uFEFF') ? 1 : 0;
  const read = await readerOf(kind, settings);
  const made = await rewrite(source.slice(mark), read, translate, { pause, known: settings.known });
  if (mark === 0) return made;
  const moved = (parts: readonly DocumentPart[]) =>
    parts.map(
      ({ source: [from, to], target: [begin, end] }): DocumentPart => ({
        source: [from + mark, to + mark],
        target: [begin + mark, end + mark],
      }),
    );
  return {
    text: source.slice(0, mark) + made.text,
    parts: moved(made.parts),
    untranslated: moved(made.untranslated),
  };
}

async function readerOf(kind: DocumentKind, settings: DocumentSettings): Promise<Reader> {
  switch (kind) {
    case 'markdown':
    case 'mdx':
      return (await import('./markdown.js')).readMarkdown(kind === 'mdx');
    case 'srt':
    case 'vtt':
      return (await import('./subtitles.js')).readSubtitles(kind);
    case 'json':
    case 'arb':
      return (await import('./json.js')).readJson(kind);
    case 'yaml':
      return (await import('./yaml.js')).readYaml;
    case 'po':
      return (await import('./po.js')).readPo;
    case 'strings':
      return (await import('./pairs.js')).readStrings;
    case 'properties':
      return (await import('./pairs.js')).readProperties;
    case 'xliff':
      return (await import('./xml.js')).readXliff;
    case 'android':
      return (await import('./xml.js')).readAndroid;
    default: {
      const { readHtml } = await import('../markup/html_blocks.js');
      return (source, pause) => readHtml(source, settings, pause);
    }
  }
}
