/** A link without a word would be lost to readers: it gets the word that looks most at what the link was on. */

import type { AlignedSentence, AlignedText, PlacedWord } from './placed_words.js';
import type { Item, Path, Segment } from './segment.js';

interface Candidate {
  /** Its place among the words. */
  readonly word: number;
  readonly weight: number;
}

/** The words, with some that stand for a link in place of what they stood for. */
export function keepLinks<Node>(
  segment: Segment<Node>,
  words: readonly PlacedWord[],
  { sentences }: AlignedText,
): PlacedWord[] {
  const kept = [...words];
  for (const lost of lostLinks(segment.items, words)) {
    const counts = new Map<number, number>();
    for (const { item } of kept) counts.set(item, (counts.get(item) ?? 0) + 1);
    // A word is not taken from another link, unless that has more of them.
    const isFree = ({ word }: Candidate) => {
      const item = kept[word]?.item ?? -1;
      return !segment.items[item]?.path?.isActive || (counts.get(item) ?? 0) > 1;
    };
    const item = segment.items[lost] as Item<Node>;
    const [best] = candidatesFor(item, sentences, kept)
      .filter(isFree)
      .sort((a, b) => b.weight - a.weight);
    const word = best && kept[best.word];
    if (best && word) kept[best.word] = { ...word, item: lost };
  }
  return kept;
}

/** For each link without a word, the place of its first text. */
function lostLinks<Node>(items: readonly Item<Node>[], words: readonly PlacedWord[]): number[] {
  const linkOf = (path: Path<Node> | null | undefined): Node | undefined =>
    path?.isActive ? (path.parent?.isActive ? linkOf(path.parent) : path.node) : undefined;
  const seen = new Set(words.map(({ item }) => linkOf(items[item]?.path)));
  return items.flatMap(({ path, isPoint, begin, end }, i) => {
    const link = isPoint || begin === end ? undefined : linkOf(path);
    if (link === undefined || seen.has(link)) return [];
    seen.add(link);
    return [i];
  });
}

function candidatesFor(
  { begin, end }: Item<unknown>,
  sentences: readonly AlignedSentence[],
  words: readonly PlacedWord[],
): Candidate[] {
  const sentence = sentences.find(({ source }) => source[0] < end && source[1] > begin);
  if (!sentence?.alignment) return [];
  const { sourceWords, targetWords, weights } = sentence.alignment;
  const own = sourceWords.flatMap(([from, to], i) => (from < end && to > begin ? [i] : []));
  const weightOf = (row: number) =>
    own.reduce((sum, column) => sum + (weights.data[row * sourceWords.length + column] ?? 0), 0);
  return targetWords.flatMap(([from], row) => {
    const weight = weightOf(row);
    const word = words.findIndex((one) => one.begin === from);
    return weight > 0 && word >= 0 ? [{ word, weight }] : [];
  });
}
