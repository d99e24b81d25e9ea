/**
 * Translates runs of markup: their segments as texts, in two lists, because only those with tags in them are aligned.
 */

import type { Span } from '../tokenizers/aligned_text.js';
import { beginsWithMark, endsWithMark } from './lists.js';
import { type Piece, placeTags } from './place.js';
import type { AlignedSentence, AlignedText } from './placed_words.js';
import { needsAlignment } from './placed_words.js';
import { rebuild } from './rebuild.js';
import type { Run } from './runs.js';
import { hasLetters, type Segment } from './segment.js';
import type { WritableTree } from './tree.js';

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
    const results = await translateTexts(
      own.map(({ text }) => text),
      isAligned,
      translate,
    );
    for (const [i, segment] of own.entries()) translations.set(segment, results[i] as AlignedText);
  }
  return translations;
}

/** Without the marks around them. */
export async function translateTexts(
  texts: readonly string[],
  alignment: boolean,
  translate: TranslateTexts,
): Promise<AlignedText[]> {
  const parted = texts.map(partMarks);
  const results = await translate(
    parted.map(({ text }) => text),
    alignment,
  );
  return parted.map((part, i) => between(part, results[i] as AlignedText));
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
  const sentences = laterSentences(translation, before.length, before.length);
  return { text: before + translation.text + after, sentences };
}

/** The sentences of a text that stands so much later in another, and its translation in that one's. */
export function laterSentences(
  { sentences }: AlignedText,
  source: number,
  target: number,
): AlignedSentence[] {
  const [ofSource, ofTarget] = [source, target].map(
    (by) =>
      ([begin, end]: Readonly<Span>): Span => [begin + by, end + by],
  ) as [Move, Move];
  return sentences.map((sentence) => ({
    source: ofSource(sentence.source),
    target: ofTarget(sentence.target),
    ...(sentence.alignment && {
      alignment: {
        ...sentence.alignment,
        sourceWords: sentence.alignment.sourceWords.map(ofSource),
        targetWords: sentence.alignment.targetWords.map(ofTarget),
      },
    }),
  }));
}

type Move = (span: Readonly<Span>) => Span;

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
export function writeRun<Node>(
  tree: WritableTree<Node>,
  run: Run<Node>,
  translations: Translations<Node>,
): void {
  rebuild(tree, run, piecesOf(run, translations));
}
