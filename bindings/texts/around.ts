/**
 * Translates a unit around what is kept in it: each fragment between two spans alone, where stand-ins did not survive.
 */

import type { Span } from '../tokenizers/aligned_text.js';
import { Tensor } from '../values/tensor.js';
import type { Change, TranslatedSentence } from './results.js';
import { summed } from './results.js';
import { later, withRanges } from './sentence_ranges.js';
import { partOf, type Unit } from './unit.js';
import type { WordAlignment } from './word_alignment.js';

/** A range of the unit, and its translation with ranges of its own. */
export interface Fragment {
  readonly span: Span;
  readonly sentence: TranslatedSentence;
}

/** The ranges between the kept spans that have letters or digits, without white space at their ends. */
export function fragmentsOf(unit: Unit): Unit[] {
  const { source, span, kept } = unit;
  const begins = [span[0], ...kept.map((one) => one.span[1])];
  const ends = [...kept.map((one) => one.span[0]), span[1]];
  return begins.flatMap((begin, i) => {
    const text = source.text.slice(begin, ends[i]);
    if (!/[\p{L}\p{N}]/u.test(text)) return [];
    // Marks at the ends belong to the whole sentence, and a model would write some of its own.
    const inner = /^[\s\p{Ps}\p{Pi}\p{Pf}\p{Po}\p{Pd}\p{Pe}]*/u.exec(text)?.[0].length ?? 0;
    const outer = /(?:\s|[\p{Ps}\p{Pi}\p{Pf}\p{Pd}\p{Pe}:,;])*$/u.exec(text)?.[0].length ?? 0;
    return [{ ...partOf(unit, [begin + inner, (ends[i] ?? begin) - outer]), kept: [], attempt: 0 }];
  });
}

/** A kept span as its own translation. */
function keptSentence(text: string, own: string, isAligned: boolean): TranslatedSentence {
  const alignment: WordAlignment = {
    from: 'head',
    sourceWords: [[0, text.length]],
    targetWords: [[0, own.length]],
    weights: new Tensor(Float32Array.of(1), [1, 1]),
    links: [0],
  };
  return { ...untranslated(text, own), ...(isAligned && { alignment }) };
}

/** A text that stands as it is, or for which a glossary has another. */
export const untranslated = (text: string, own = text): TranslatedSentence => ({
  text: own,
  tokens: [],
  score: 0,
  confidence: 1,
  source: [0, text.length],
  target: [0, own.length],
  sourceTokens: [],
  sourceOffsets: [],
  unknownWords: [],
});

/**
 * The whole unit as a sentence: its fragments' translations, with what stood between them.
 *
 * @param isLost whether the model had lost what is kept
 */
export function aroundKept(
  unit: Unit,
  fragments: readonly Fragment[],
  { isAligned, isLost }: { readonly isAligned: boolean; readonly isLost: boolean },
): TranslatedSentence {
  const { source, span: whole, kept } = unit;
  const own = kept.map(({ span, text, isNumber }) => ({
    span,
    sentence: keptSentence(source.text.slice(...span), text, isAligned),
    reason: (isNumber ? 'number' : 'lost') as Change['reason'],
  }));
  const parts = [...own, ...fragments.map((one) => ({ ...one, reason: null }))].sort(
    (a, b) => a.span[0] - b.span[0],
  );
  const placed: TranslatedSentence[] = [];
  const changed: Change[] = [];
  let text = '';
  let end = whole[0];
  for (const { span, sentence, reason } of parts) {
    text += source.text.slice(end, span[0]);
    const at = text.length;
    const begin = span[0] - whole[0];
    text += sentence.text;
    end = span[1];
    placed.push(withRanges(sentence, { source: later(begin), target: later(at) }));
    if (reason && isLost)
      changed.push({ source: [begin, span[1] - whole[0]], target: [at, text.length], was: '', reason });
  }
  text += source.text.slice(end, whole[1]);
  const { changed: theirs = [], ...sums } = summed(placed);
  const all = [...changed, ...theirs].sort((a, b) => a.target[0] - b.target[0]);
  const tokens = (one: TranslatedSentence) => (one.tokens.length > 0 ? one.tokens.length + 1 : 0);
  const count = placed.reduce((sum, one) => sum + tokens(one), 0);
  const logs = placed.reduce(
    (sum, one) => sum + (tokens(one) > 0 ? tokens(one) * Math.log(one.confidence) : 0),
    0,
  );
  return {
    ...sums,
    text,
    source: [0, whole[1] - whole[0]],
    target: [0, text.length],
    confidence: Math.exp(logs / (count || 1)),
    ...(all.length > 0 && { changed: all }),
    ...(isAligned && { alignment: joinedAlignment(placed) }),
  };
}

/** Alignments of parts of a sentence, in order: no word stands for one of another part. */
function joinedAlignment(parts: readonly TranslatedSentence[]): WordAlignment {
  const alignments = parts.flatMap(({ alignment }) => alignment ?? []);
  const sourceWords = alignments.flatMap((one) => one.sourceWords);
  const targetWords = alignments.flatMap((one) => one.targetWords);
  const data = new Float32Array(targetWords.length * sourceWords.length);
  const links: (number | null)[] = [];
  let column = 0;
  for (const {
    sourceWords: { length },
    targetWords: rows,
    weights,
    links: own,
  } of alignments) {
    for (const row of rows.keys())
      data.set(
        weights.data.subarray(row * length, (row + 1) * length),
        (links.length + row) * sourceWords.length + column,
      );
    links.push(...own.map((link) => (link === null ? null : link + column)));
    column += length;
  }
  const from = alignments.every((one) => one.from === 'head') ? 'head' : 'mean';
  return {
    from,
    sourceWords,
    targetWords,
    weights: new Tensor(data, [targetWords.length, sourceWords.length]),
    links,
  };
}
