/** Finds the sentences of a text: by Intl.Segmenter, which knows no abbreviations and errs about quotes. */

import type { Span } from '../tokenizers/aligned_text.js';
import { Abbreviations } from './abbreviations.js';

/** The rules that a text is cut by. */
interface SentenceRules {
  /** A BCP 47 tag, or a code of a model such as eng_Latn. */
  readonly language?: string | undefined;
  /** Whether a line break alone is a space. */
  readonly wrapped?: boolean | undefined;
}

/** How far a boundary looks around itself, in UTF-16 units. */
const sight = 120;

/** How much of a text is segmented at once; more only where a sentence is longer, up to the longest. */
const windowSize = 4096;
const longestWindow = 4 * windowSize;

/** Between sentences of one line: who speaks next, or what comes next. */
const dashBetween = /(?<=[.?!…]["'”’»)\]]{0,3}\s{1,3})[-–—](?=\s["'“‘«(]?\p{Lu})/gu;
const leadingDash = /^\s*[-–—]\s/u;

/**
 * Before a number: no sentence ends there for a segmenter, if what follows the number has a small letter (UAX 29, SB8).
 */
const beforeNumber =
  /(?<=\p{L}\.["'”»’)\]]{0,2})\s+(?=["'“‘«(]?\p{N})|(?<=\p{N}\.["'”»’)\]]{0,2})\s+(?=["'“‘«(]?\p{N}+\s\p{L})/gu;

/**
 * Where the space after a full stop was forgotten, which ends no sentence for a segmenter (UAX 29, SB7): `tired.The
 * dog`, `1,000.That is`, `Tuesday.Mr. Smith`.
 */
const glued =
  /(?<=(?<![\p{L}\p{N}\p{P}])\p{L}?\p{Ll}{2,}\.)(?=\p{Lu}\p{Ll}*(?:\s+\p{Ll}|\.\s+\p{Lu}))|(?<=(?<![\p{L}\p{N}.,])\d+(?:,\d{3})*\.)(?=\p{Lu}\p{Ll}*\s+\p{Ll})/gu;

/** The question mark of Greek, which looks like a semicolon. */
const greekQuestion =
  /(?<=\p{sc=Grek}["'”’»)\]]{0,2}[;\u037e]["'”’»)\]]{0,2}\s{1,3})(?=["'“‘«(–—-]{0,2}\s?\p{Lu})/gu;

/**
 * Where a capital follows three dots in one character, which end no sentence for a segmenter; and where they begin one.
 * Armenian ends sentences with a colon.
 */
const afterDots =
  /(?<=\p{L}{2}…["'”’»)\]]{0,2}\s{1,3})(?=["'“‘«(]?\p{Lu})|(?<=\p{L}\.\s{1,3})(?=…\s?\p{L})|(?<=\p{sc=Armn}:\s{1,3})(?=\p{Lu})/gu;

/** White space, and what is neither seen nor read. */
const blank = /[\s\p{Cc}\u200b\u2060]/u;

/**
 * The ranges of the sentences, in order. Between them is only what has nothing to translate: white space, marks of
 * lists, lines of dashes.
 */
export function sentencesOf(text: string, { language, wrapped }: SentenceRules): Span[] {
  const known = languageOf(language);
  const segmenter = segmenterOf(known);
  const abbreviations = Abbreviations.of(known?.split('-')[0]);
  const found: Span[] = [];
  for (const [from, to] of paragraphs(text, wrapped === true ? abbreviations : null)) {
    const marked = text.slice(from, to);
    const begin = from + abbreviations.markLength(marked);
    const paragraph = text.slice(begin, to).replace(/[\r\n]/g, ' ');
    let last = 0;
    for (const end of [...boundaries(paragraph, segmenter, abbreviations), paragraph.length]) {
      const dash = last > 0 ? (leadingDash.exec(paragraph.slice(last, end))?.[0].length ?? 0) : 0;
      const span = trimmed(paragraph, last + dash, end);
      if (span) found.push([begin + span[0], begin + span[1]]);
      last = end;
    }
  }
  return found;
}

const segmenters = new Map<string | undefined, Intl.Segmenter>();

function segmenterOf(language: string | undefined): Intl.Segmenter {
  const own = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: 'sentence' });
  segmenters.set(language, own);
  return own;
}

/** The tag that Intl knows a language by; `undefined` if it does not. */
function languageOf(language: string | undefined): string | undefined {
  try {
    return language && new Intl.Locale(language.split('_')[0] ?? '').toString();
  } catch {
    return undefined;
  }
}

/** Lines, or what wrapped lines form together, if they are. Item marks begin a paragraph of their own. */
function paragraphs(text: string, wrapped: Abbreviations | null): Span[] {
  const spans: Span[] = [];
  let isOpen = false;
  for (const { index, 0: line } of text.matchAll(/[^\n\r\v\f\u0085\u2028\u2029]+/g)) {
    const start = index + (line.length - line.trimStart().length);
    const end = index + line.length;
    const last = spans.at(-1);
    const isNext = last !== undefined && /^(?:\r\n?|\n)$/.test(text.slice(last[1], index));
    const isBlank = line.trim() === '';
    if (wrapped && isOpen && isNext && !isBlank && wrapped.markLength(line.trimStart()) === 0) last[1] = end;
    else if (!isBlank) spans.push([start, end]);
    isOpen = !isBlank;
  }
  return spans;
}

/** Where sentences end within a paragraph, its own end left out. */
function boundaries(paragraph: string, segmenter: Intl.Segmenter, abbreviations: Abbreviations): number[] {
  const isLowerCase = !/\p{Lu}/u.test(paragraph);
  const kept: number[] = [];
  const ownEnds = [dashBetween, glued, afterDots, greekQuestion].flatMap((pattern) =>
    Array.from(paragraph.matchAll(pattern), ({ index }) => index),
  );
  const numbers = Array.from(paragraph.matchAll(beforeNumber), ({ index, 0: space }) => index + space.length);
  const found = segments(isLowerCase ? withCapitals(paragraph) : paragraph, segmenter);
  for (const index of [...found, ...ownEnds, ...numbers].sort((a, b) => a - b)) {
    const last = kept.at(-1) ?? 0;
    if (index <= last) continue;
    const at = index + shiftOf(paragraph.slice(Math.max(last, index - sight), index), paragraph, index);
    const before = paragraph.slice(Math.max(last, at - sight), at).trimEnd();
    const after = paragraph.slice(at, at + sight).trimStart();
    if (before === '' || after === '') continue;
    if (abbreviations.hold(before, after) || goesOn(before, after, isLowerCase)) continue;
    kept.push(at);
  }
  return kept;
}

/** Where segments begin. A window at a time: the time of some segmenters grows with the square of the text's length. */
function* segments(text: string, segmenter: Intl.Segmenter): Generator<number, void, void> {
  let size = windowSize;
  for (let begin = 0; begin < text.length; ) {
    const isLast = begin + size >= text.length;
    const found = Array.from(segmenter.segment(text.slice(begin, begin + size)), ({ index }) => index);
    const last = found.at(-1) ?? 0;
    if (!isLast && last === 0 && size < longestWindow) size *= 2;
    else if (!isLast && last === 0) begin += size;
    else {
      for (const index of isLast ? found : found.slice(0, -1)) yield begin + index;
      begin = isLast ? text.length : begin + last;
      size = windowSize;
    }
  }
}

/** Text without capitals, with some where sentences may begin: without them, no full stop ends one (UAX 29, SB8). */
const withCapitals = (paragraph: string) =>
  paragraph.replace(/(?<=\.\s+)\p{Ll}/gu, (letter) => {
    const capital = letter.toUpperCase();
    return capital.length === letter.length ? capital : letter;
  });

/** How far a boundary is off: closing marks and numbers of notes belong before it, opening marks after it. */
function shiftOf(before: string, paragraph: string, index: number): number {
  const after = paragraph.slice(index, index + sight);
  const note = before.endsWith('[') ? /^\d+\]\s*/ : /^\[\d+\]\s*/;
  const belongsBefore = after.match(note) ?? after.match(/^[»”’)\]]+(?:\s+|$)/u);
  if (belongsBefore) return belongsBefore[0].length;
  const opening = before.match(/(?:[“„‘«»([{「『（［【《〈]+|(?<=\s)\.)$/u)?.[0] ?? '';
  return /^[\p{L}\p{N}]/u.test(after) ? -opening.length : 0;
}

/** Whether the sentence goes on, though a mark that may end one stands before. */
function goesOn(before: string, after: string, isLowerCase: boolean): boolean {
  const isQuoted = /["”“»’']$/u.test(before);
  if (/^["'“‘«(]*\p{Ll}/u.test(after) && (!isLowerCase || isQuoted)) return true;
  if (isSaid(before, after)) return true;
  // Dots in place of words; a source behind what is cited, which has the mark behind it.
  if (/[^.\s]\s\.\s\.\s\.$/.test(before) || /^\([^()]{1,60}\)[.?!]/.test(after)) return true;
  // The title of a work.
  if (before.lastIndexOf('《') > before.lastIndexOf('》') && /^[^《]*》/.test(after)) return true;
  // Inside of brackets that were opened in the middle of the sentence.
  const open = Math.max(before.lastIndexOf('('), before.lastIndexOf('['));
  const close = Math.max(before.lastIndexOf(')'), before.lastIndexOf(']'));
  return open > 0 && open > close && /^[^([]*[)\]]/.test(after);
}

const cjk = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;
const quoteBegins = '「『“（【《〈‘';

/** What follows speech and belongs to it: と言った, 他说, 하고 말했다. */
const saying =
  /^(?:と|って|という|とか|など|の|は(?!い)|が|を|に|も|だ|です)|^[^，。！？\s]{0,4}[说說道问問答喊叫]|^(?:하고|라고|이라고|고)\s/u;

/** Whether a sentence of Japanese, Chinese or Korean goes on after a quote, or what stands in brackets. */
function isSaid(before: string, after: string): boolean {
  if (!/[」』”）】》〉’]$/u.test(before) || !cjk.test(after)) return false;
  const open = Math.max(...Array.from(quoteBegins, (mark) => before.lastIndexOf(mark)));
  // It was opened in the middle of the sentence, and is not what was announced.
  const isWithin = open > 0 && !/[：:，、,]\s*$/u.test(before.slice(0, open));
  return isWithin || saying.test(after);
}

/** The range without white space at its ends; `null` if nothing in it is a letter or a number. */
function trimmed(paragraph: string, from: number, to: number): Span | null {
  let [begin, end] = [from, to];
  while (begin < end && blank.test(paragraph.charAt(begin))) begin++;
  while (end > begin && blank.test(paragraph.charAt(end - 1))) end--;
  return /[\p{L}\p{N}]/u.test(paragraph.slice(begin, end)) ? [begin, end] : null;
}
