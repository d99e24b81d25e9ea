/** Translates markup as a text. */

import type { ReadableAttribute } from '../texts/options.js';
import { findAttributes } from './attributes.js';
import { parseHtml } from './parse_html.js';
import { findRuns, survey } from './runs.js';
import { type TranslateTexts, translateSegments, writeRun } from './translate_runs.js';

/**
 * The markup with its texts translated, written as the HTML standard says: what a model writes is text in it, never markup.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`; what `translate` throws.
 */
export async function translateHtml(
  html: string,
  translate: TranslateTexts,
  attributes: readonly ReadableAttribute[] = [],
): Promise<string> {
  const tree = await parseHtml(html);
  const known = survey(tree, tree.root);
  const runs = findRuns(tree, tree.root, known);
  const labels = findAttributes(tree, known.elements, attributes);
  if (runs.length === 0 && labels.length === 0) return html;
  const translations = await translateSegments(runs, translate);
  const texts =
    labels.length > 0
      ? await translate(
          labels.map(({ text }) => text),
          false,
        )
      : [];
  for (const run of runs) writeRun(tree, run, translations);
  for (const [i, { node, name, text }] of labels.entries())
    tree.setAttribute(node, name, texts[i]?.text ?? text);
  return tree.serialize();
}
