/** Translates runs of markup: their segments as texts, in two lists, because only those with tags in them are aligned. */

import type { Span } from '../tokenizers/aligned_text.js';
import { beginsWithMark, endsWithMark } from './lists.js';
import { type Piece, placeTags } from './place.js';
import type { AlignedText } from './placed_words.js';
import { needsAlignment } from './placed_words.js';
import { rebuild } from './rebuild.js';
import type { Run } from './runs.js';
import { hasLetters, type Segment } from './segment.js';
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
    const parted = own.map(({ text }) => partMarks(text));
    const results = await translate(
      parted.map(({ text }) => text),
      isAligned,
    );
    for (const [i, segment] of own.entries())
      translations.set(segment, between(parted[i] as Parted, results[i] as AlignedText));
  }
  return translations;
}

interface Parted {
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

/** Marks around a text, which a model would read as words of it. */
function partMarks(text: string): Parted {
  const [before = ''] = beginsWithMark.exec(text) ?? [];
  const [after = ''] = endsWithMark.exec(text.slice(before.length)) ?? [];
  return { before, text: text.slice(before.length, text.length - after.length), after };
}

function between({ before, after }: Parted, translation: AlignedText): AlignedText {
  if (before === '' && after === '') return translation;
  const moved = ([begin, end]: Readonly<Span>): Span => [begin + before.length, end + before.length];
  const sentences = translation.sentences.map(({ source, target, alignment }) => ({
    source: moved(source),
    target: moved(target),
    ...(alignment && {
      alignment: {
        ...alignment,
        sourceWords: alignment.sourceWords.map(moved),
        targetWords: alignment.targetWords.map(moved),
      },
    }),
  }));
  return { text: before + translation.text + after, sentences };
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
