/** Compares the numbers of a sentence with those of its translation, and repairs what differs from the source. */

import type { Span } from '../tokenizers/aligned_text.js';
import { type Edit, EditedText } from './edited_text.js';
import type { KeptSpan } from './kept_spans.js';
import type { NumberLanguages } from './number_languages.js';
import {
  type Difference,
  differenceOf,
  numbersIn,
  type PlacedNumber,
  type Writing,
  writingOf,
  written,
} from './numbers.js';
import type { Change, TranslatedSentence } from './results.js';
import { unmoved, withRanges } from './sentence_ranges.js';
import type { PutBack } from './stand_ins.js';
import { keptWithin, type Unit } from './unit.js';

/** A sentence with the right numbers, or what has to be asked of the model so that it gets them. */
export type Checked =
  | { readonly part: TranslatedSentence }
  | { readonly again: Unit; readonly isAligned: boolean };

/** @param sentence with ranges of the unit, in which all that was kept is back */
export function checkNumbers(
  sentence: TranslatedSentence,
  { places }: PutBack,
  { unit, languages }: { readonly unit: Unit; readonly languages: NumberLanguages },
): Checked {
  const { source, span } = unit;
  const text = source.text.slice(...span);
  if (!/\p{Nd}/u.test(text)) return { part: sentence };
  const kept = places.map(({ target }) => target);
  const carried = places.flatMap(({ kept: one, target }): Change[] =>
    one.isNumber ? [{ source: one.span, target, was: '', reason: 'number' }] : [],
  );
  const [from, to] = [writingOf(languages.source), writingOf(languages.target)];
  const numbers = numbersIn(
    text,
    from,
    keptWithin(unit).map((one) => one.span),
  );
  const theirs = numbersIn(sentence.text, to, kept);
  const difference = differenceOf(
    [text, numbers],
    [sentence.text, theirs],
    from !== undefined && to !== undefined,
  );
  if (difference.missing.length === 0) return { part: withChanges(sentence, carried) };
  const pairs = pairsOf(difference, sentence);
  if (pairs) return { part: repaired(withChanges(sentence, carried), pairs, { from, to }) };
  if (!sentence.alignment) return { again: unit, isAligned: true };
  return { again: withKept(unit, difference.missing, { from, to }), isAligned: false };
}

type Pair = readonly [source: PlacedNumber, target: PlacedNumber];

/** Which wrong number stands for which of the source; `null` if that is not certain. */
function pairsOf({ missing, extra }: Difference, { alignment }: TranslatedSentence): Pair[] | null {
  if (missing.length !== extra.length) return null;
  const [one, other] = [missing[0], extra[0]];
  if (missing.length === 1 && one && other) return [[one, other]];
  if (!alignment) return null;
  const { sourceWords, targetWords, links } = alignment;
  const overlaps = (a: Span, b: Span) => a[0] < b[1] && a[1] > b[0];
  const left = [...missing];
  const pairs: Pair[] = [];
  for (const target of extra) {
    const sources = targetWords.flatMap((word, i) => {
      const link = overlaps(word, target.span) ? (links[i] ?? null) : null;
      return link === null ? [] : [sourceWords[link] as Span];
    });
    const place = left.findIndex(({ span }) => sources.some((word) => overlaps(word, span)));
    const [found] = place < 0 ? [] : left.splice(place, 1);
    if (!found) return null;
    pairs.push([found, target]);
  }
  return pairs;
}

interface Writings {
  readonly from: Writing | undefined;
  readonly to: Writing | undefined;
}

function repaired(
  sentence: TranslatedSentence,
  pairs: readonly Pair[],
  { from, to }: Writings,
): TranslatedSentence {
  const edits = pairs
    .map(([source, target]): Edit & { source: Span; was: string } => ({
      span: target.span,
      text: written(source, from, to),
      source: source.span,
      was: target.text,
    }))
    .sort((a, b) => a.span[0] - b.span[0]);
  const edited = new EditedText(sentence.text, edits);
  const own = withRanges(sentence, {
    source: unmoved,
    target: (span) => edited.after(span),
    text: edited.text,
  });
  const changed: Change[] = edits.map(({ source, span, was }) => ({
    source,
    target: edited.after(span),
    was,
    reason: 'number',
  }));
  return withChanges(own, changed);
}

function withChanges(sentence: TranslatedSentence, more: readonly Change[]): TranslatedSentence {
  if (more.length === 0) return sentence;
  const changed = [...(sentence.changed ?? []), ...more].sort((a, b) => a.target[0] - b.target[0]);
  return { ...sentence, changed };
}

/** The unit with numbers that the model is not given. */
function withKept(unit: Unit, numbers: readonly PlacedNumber[], { from, to }: Writings): Unit {
  const [begin] = unit.span;
  const more = numbers.map(
    (number): KeptSpan => ({
      span: [number.span[0] + begin, number.span[1] + begin],
      text: written(number, from, to),
      isNumber: true,
    }),
  );
  const kept = [...unit.kept, ...more].sort((a, b) => a.span[0] - b.span[0]);
  return { ...unit, kept, attempt: 0 };
}
