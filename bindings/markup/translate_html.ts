/** Translates markup as a text. */

import { type Rewritten, rewrite } from './blocks.js';
import { type HtmlSettings, readHtml } from './html_blocks.js';
import { pauses } from './pauses.js';
import type { TranslateTexts } from './translate_runs.js';

/**
 * The markup with its texts translated; everything else stays byte for byte. What a model writes is text in it, never
 * markup.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`; what `translate` throws; the signal's reason.
 */
export function translateHtml(
  html: string,
  translate: TranslateTexts,
  settings: HtmlSettings & { readonly signal?: AbortSignal | undefined } = {},
): Promise<Rewritten> {
  const pause = pauses(settings.signal);
  return rewrite(html, (source) => readHtml(source, settings, pause), translate, { pause });
}
