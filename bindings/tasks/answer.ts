/** Question answering: the part of a text that answers a question. */

import type { Loaded } from '../checkpoint/loaded.js';
import { integerFrom, type ReadersOf, readFields, toBoolean, toSignal } from '../values/options.js';
import {
  checkText,
  type Row,
  requireEncoder,
  roomOf,
  rowReader,
  runRows,
  select,
  windows,
} from './batch_encoder.js';
import { softmax } from './labels.js';

export interface AnswerOptions {
  /** How many answers to return, best first; default: 1. */
  topK?: number;
  /** The longest answer, in tokens; default: 15. */
  maxAnswerLen?: number;
  /** A longer text is read in parts of this many tokens, question included; default: 384. */
  maxSeqLen?: number;
  /** How many tokens two such parts share; default: 128, but at most half of maxSeqLen. */
  docStride?: number;
  /** A longer question is cut after this many tokens; default: any length. */
  maxQuestionLen?: number;
  /** Whether an answer begins and ends with whole words, even if the model chose parts of them; default: true. */
  alignToWords?: boolean;
  /** Whether the answer may be that there is none: an empty one; default: false. */
  handleImpossibleAnswer?: boolean;
  signal?: AbortSignal;
}

/** An answer: a range of the context. */
export interface Answer {
  answer: string;
  /** Probability of its beginning times that of its end; the sum, if several ranges have this text. */
  score: number;
  start: number;
  end: number;
}

const readers = {
  topK: integerFrom(1),
  maxAnswerLen: integerFrom(1),
  maxSeqLen: integerFrom(8),
  docStride: integerFrom(0),
  maxQuestionLen: integerFrom(1),
  alignToWords: toBoolean,
  handleImpossibleAnswer: toBoolean,
  signal: toSignal,
} satisfies ReadersOf<AnswerOptions>;

/** @throws TransformerError `invalid_argument`, `unsupported`; the signal's reason. */
export async function answer(
  model: Loaded,
  { question, context }: { question: string; context: string },
  given: AnswerOptions = {},
): Promise<Answer[]> {
  const options = readFields(given, readers);
  const { topK = 1, maxAnswerLen = 15, handleImpossibleAnswer = false, signal } = options;
  const tokenizer = requireEncoder(model, 'answer questions');
  const read = rowReader(tokenizer, signal);
  const whole = await read(checkText(question, 'the question'), checkText(context, 'the context'));
  const room = Math.min(options.maxSeqLen ?? 384, roomOf(model));
  const asked = withQuestion(whole, options.maxQuestionLen ?? Number.POSITIVE_INFINITY);
  const rows = windows(asked, 1, { room, stride: options.docStride, name: 'docStride' });
  const found: Answer[] = [];
  let none = 1;
  for await (const { row, vector } of runRows(model, rows, ['startLogits', 'endLogits'], signal)) {
    const inContext = (token: number) => row.sources[token] === 1;
    // The first token stands for "no answer" and takes part in the probabilities.
    const isOpen = (token: number) => inContext(token) || token === 0;
    const begins = probabilities(vector(0, 0), row, isOpen);
    const ends = probabilities(vector(0, 1), row, isOpen);
    none = Math.min(none, (begins[0] ?? 0) * (ends[0] ?? 0));
    for (const { first, last, score } of spans(begins, ends, { inContext, maxAnswerLen, topK })) {
      const range = rangeOf(
        row,
        options.alignToWords === false ? [first, last] : wholeWords(row, first, last),
      );
      if (range) found.push({ score, ...range, answer: context.slice(range.start, range.end) });
    }
  }
  if (handleImpossibleAnswer) found.push({ score: none, start: 0, end: 0, answer: '' });
  return best(found, topK);
}

/** The row with the first tokens of its question. */
function withQuestion(row: Row, count: number): Row {
  const begin = row.sources.indexOf(0);
  return select(row, (token) => row.sources[token] !== 0 || token < begin + count);
}

function probabilities(logits: Float32Array, row: Row, isOpen: (token: number) => boolean): number[] {
  return softmax(row.ids.map((_, token) => (isOpen(token) ? (logits[token] ?? 0) : -10000)));
}

interface SpanOptions {
  readonly inContext: (token: number) => boolean;
  readonly maxAnswerLen: number;
  readonly topK: number;
}

/** The best pairs of a first and a last token. */
function spans(
  begins: readonly number[],
  ends: readonly number[],
  { inContext, maxAnswerLen, topK }: SpanOptions,
) {
  const kept: { first: number; last: number; score: number }[] = [];
  for (let first = 0; first < begins.length; first++) {
    if (!inContext(first)) continue;
    for (let last = first; last < Math.min(ends.length, first + maxAnswerLen) && inContext(last); last++) {
      const score = (begins[first] ?? 0) * (ends[last] ?? 0);
      if (kept.length >= topK && score <= (kept.at(-1)?.score ?? 0)) continue;
      kept.push({ first, last, score });
      kept.sort((a, b) => b.score - a.score);
      kept.length = Math.min(kept.length, topK);
    }
  }
  return kept;
}

/** The tokens of the words in which a range of tokens begins and ends, within this part of the context. */
function wholeWords({ sources, wordIds }: Row, first: number, last: number): [from: number, to: number] {
  const isOneWord = (a: number, b: number) =>
    sources[a] === 1 && sources[b] === 1 && wordIds[a] !== null && wordIds[a] === wordIds[b];
  let [from, to] = [first, last];
  while (isOneWord(from - 1, from)) from--;
  while (isOneWord(to, to + 1)) to++;
  return [from, to];
}

/** The range of tokens in the context. */
function rangeOf({ offsets }: Row, [from, to]: [number, number]): { start: number; end: number } | null {
  const [begin, end] = [offsets[from], offsets[to]];
  return begin && end ? { start: begin[0], end: end[1] } : null;
}

/**
 * Each text once, whatever its case, with the sum of its scores, as in Python: parts overlap, several ranges of tokens
 * are of the same words, and a text may hold these words several times.
 */
function best(found: readonly Answer[], count: number): Answer[] {
  const merged = new Map<string, Answer>();
  for (const one of found) {
    const text = one.answer.toLowerCase();
    const earlier = merged.get(text);
    merged.set(text, earlier ? { ...earlier, score: earlier.score + one.score } : one);
  }
  return [...merged.values()].sort((a, b) => b.score - a.score).slice(0, count);
}
