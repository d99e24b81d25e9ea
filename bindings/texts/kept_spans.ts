/**
 * The spans of a text that a model is not given: they come back as they are, or as a glossary has them. Every reader of
 * texts, pages and documents goes through `Model.translate`, which keeps them; there is no other place that knows them.
 *
 * A reader adds spans of its own with the option `keep`, which takes a function beside texts and expressions:
 *
 *     const own = (text: string, place: number) => spansOfMine[place]; // [begin, end][] in the text at this place
 *     translate(texts, { ...options, keep: keepAlso(options.keep, own) });
 *
 * Such a span stands in the alignment of the result as one word on both sides: `sourceWords` and `targetWords` have its
 * range.
 */

import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import type { Glossary, Keep, KeepOption } from './keep_options.js';
import { isOnlyLanguage, knownSpans } from './kept_patterns.js';
import { isSpaceless } from './scripts.js';

/** A range of a text, and what stands for it in the translation. */
export interface KeptSpan {
  readonly span: Span;
  readonly text: string;
  /** Whether it is a number that the model wrote wrongly. */
  readonly isNumber?: true;
}

/** Finds the spans to keep. */
export class KeptSpans {
  readonly #keep: readonly Keep[];
  readonly #isOff: boolean;
  readonly #glossary: Terms | null;

  constructor(keep: KeepOption | undefined, glossary: Glossary | undefined) {
    this.#isOff = keep === false;
    this.#keep = keep === false ? [] : [keep ?? []].flat();
    this.#glossary = glossary && Object.keys(glossary).length > 0 ? new Terms(glossary) : null;
  }

  /** Whether a text has none for certain. */
  hasNone(text: string): boolean {
    return this.#keep.length === 0 && this.#glossary === null && (this.#isOff || isOnlyLanguage(text));
  }

  /**
   * In order and disjoint: the caller's first, then those of the glossary, then what is not language anywhere. Spans
   * that touch are one.
   *
   * @throws TransformerError `invalid_argument` for ranges that are not of the text
   */
  in(text: string, place: number): KeptSpan[] {
    if (this.hasNone(text)) return [];
    let kept: KeptSpan[] = [];
    for (const one of this.#keep) kept = besides(kept, asTheyAre(text, spansFor(one, text, place)));
    if (this.#glossary) kept = besides(kept, this.#glossary.in(text));
    if (!this.#isOff) kept = besides(kept, asTheyAre(text, knownSpans(text)));
    return joined(text, kept);
  }
}

const asTheyAre = (text: string, spans: readonly Span[]): KeptSpan[] =>
  spans.map((span) => ({ span, text: text.slice(...span) }));

function spansFor(keep: Keep, text: string, place: number): Span[] {
  if (typeof keep === 'function') return checked(keep(text, place), text);
  const pattern =
    typeof keep === 'string'
      ? wordsPattern([keep], 'gu')
      : new RegExp(keep, [...new Set(`${keep.flags.replace('y', '')}g`)].join(''));
  return Array.from(
    text.matchAll(pattern),
    ({ 0: match, index }): Span => [index, index + match.length],
  ).filter(([begin, end]) => begin < end);
}

function checked(given: Iterable<readonly [number, number]>, text: string): Span[] {
  const spans = Array.from(given, ([begin, end]): Span => [begin, end]).sort((a, b) => a[0] - b[0]);
  let last = 0;
  return spans.filter(([begin, end]) => {
    const isRange = Number.isInteger(begin) && Number.isInteger(end) && begin >= 0 && end <= text.length;
    if (!isRange || end < begin)
      fail(
        'invalid_argument',
        `keep gave [${begin}, ${end}], which is no range of a text of ${text.length} letters`,
      );
    const isOwn = begin >= last && begin < end;
    if (isOwn) last = end;
    return isOwn;
  });
}

/** Spans, and of others those that overlap none of them. */
function besides(first: readonly KeptSpan[], second: readonly KeptSpan[]): KeptSpan[] {
  const all: KeptSpan[] = [];
  let next = 0;
  for (const one of second) {
    while (next < first.length && (first[next] as KeptSpan).span[1] <= one.span[0])
      all.push(first[next++] as KeptSpan);
    const after = first[next];
    if (!after || after.span[0] >= one.span[1]) all.push(one);
  }
  return [...all, ...first.slice(next)];
}

/** Units and plurals at a placeholder: `{n}px`, `{name}s`, `v{version}`. */
const shortEnd = /^[\p{sc=Latn}\p{N}]{1,3}(?![\p{L}\p{N}])/u;
const shortBegin = /(?<![\p{L}\p{N}])[\p{sc=Latn}]{1,2}$/u;

function joined(text: string, kept: readonly KeptSpan[]): KeptSpan[] {
  const spans: KeptSpan[] = [];
  for (const [i, { span, text: own }] of kept.entries()) {
    let [[begin, end], written] = [span, own];
    if (/[{%]/.test(text.charAt(begin)) || text.charAt(end - 1) === '}') {
      const before = shortBegin.exec(text.slice(Math.max(0, begin - 3), begin))?.[0] ?? '';
      const after = shortEnd.exec(text.slice(end, end + 4))?.[0] ?? '';
      const isFree = end + after.length <= (kept[i + 1]?.span[0] ?? text.length);
      if (isFree) [end, written] = [end + after.length, written + after];
      if (begin - before.length >= (spans.at(-1)?.span[1] ?? 0))
        [begin, written] = [begin - before.length, before + written];
    }
    const last = spans.at(-1);
    if (last?.span[1] === begin)
      spans[spans.length - 1] = { span: [last.span[0], end], text: last.text + written };
    else spans.push({ span: [begin, end], text: written });
  }
  return spans;
}

const escaped = (term: string) =>
  term
    .trim()
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/\s+/g, '\\s+');

/** Whole words, where the script has such. */
function wordsPattern(terms: readonly string[], flags: string): RegExp {
  const isWord = (letter: string | undefined) =>
    letter !== undefined && /[\p{L}\p{N}_]/u.test(letter) && !isSpaceless(letter);
  const parts = terms.map((term) => {
    const letters = [...term.trim()];
    const before = isWord(letters[0]) ? '(?<![\\p{L}\\p{N}_])' : '';
    const after = isWord(letters.at(-1)) ? '(?![\\p{L}\\p{N}_])' : '';
    return before + escaped(term) + after;
  });
  return new RegExp(parts.join('|'), flags);
}

const withCapital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The terms of a glossary: longer ones first, and with a capital where a sentence begins. */
class Terms {
  readonly #pattern: RegExp;
  readonly #translations = new Map<string, string | true>();

  constructor(glossary: Glossary) {
    const normal = (term: string) => term.trim().replace(/\s+/g, ' ');
    for (const [term, own] of Object.entries(glossary)) {
      const capital = withCapital(normal(term));
      if (!this.#translations.has(capital))
        this.#translations.set(capital, own === true ? own : withCapital(own));
    }
    for (const [term, own] of Object.entries(glossary)) this.#translations.set(normal(term), own);
    const terms = [...this.#translations.keys()].sort((a, b) => b.length - a.length);
    this.#pattern = wordsPattern(terms, 'gu');
  }

  in(text: string): KeptSpan[] {
    return Array.from(text.matchAll(this.#pattern), ({ 0: match, index }) => {
      const own = this.#translations.get(match.replace(/\s+/g, ' '));
      return { span: [index, index + match.length] as Span, text: typeof own === 'string' ? own : match };
    });
  }
}
