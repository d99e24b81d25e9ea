/** Translates runs of markup: their segments as texts, in two lists, because only those with tags in them are aligned. */

import { type Piece, placeTags } from './place.js';
import type { AlignedText } from './placed_words.js';
import { needsAlignment } from './placed_words.js';
import { rebuild } from './rebuild.js';
import { hasLetters, type Run } from './runs.js';
import type { Segment } from './segment.js';
import type { Tree } from './tree.js';

/** Translates texts, with the alignment of their words if asked. */
export type TranslateTexts = (
  texts: readonly string[],
  alignment: boolean,
) => Promise<readonly AlignedText[]>;

/** Translations by segment. */
type Translations<Node> = ReadonlyMap<Segment<Node>, AlignedText>;

export async function translateSegments<Node>(
  runs: readonly Run<Node>[],
  translate: TranslateTexts,
): Promise<Translations<Node>> {
  const segments = runs.flatMap((run) => run.segments).filter(({ text }) => hasLetters(text));
  const translations = new Map<Segment<Node>, AlignedText>();
  for (const isAligned of [false, true]) {
    const own = segments.filter((segment) => needsAlignment(segment) === isAligned);
    if (own.length === 0) continue;
    const results = await translate(
      own.map(({ text }) => text),
      isAligned,
    );
    for (const [i, segment] of own.entries()) translations.set(segment, results[i] as AlignedText);
  }
  return translations;
}

/** The pieces of a run: of translated segments, and of those without a word as they were. */
export function piecesOf<Node>(run: Run<Node>, translations: Translations<Node>): Piece<Node>[] {
  return run.segments.flatMap((segment) => {
    const translation = translations.get(segment);
    if (translation) return placeTags(segment, translation);
    return segment.items.map((item) => ({
      item,
      path: item.path,
      text: segment.text.slice(item.begin, item.end),
    }));
  });
}

/** Writes a translated run into its tree. */
export function writeRun<Node>(tree: Tree<Node>, run: Run<Node>, translations: Translations<Node>): void {
  rebuild(tree, run, piecesOf(run, translations));
}
