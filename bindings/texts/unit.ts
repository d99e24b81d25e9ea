/** A piece of a text that the model reads at once, and how it reads it. */

import { type EncodedText, encodeText } from '../generation/inputs.js';
import type { Span } from '../tokenizers/aligned_text.js';
import type { KeptSpan } from './kept_spans.js';
import { readable } from './lengths.js';
import type { ReadTranslateOptions } from './options.js';
import type { SentenceTranslator } from './sentence_translator.js';
import type { SourceText } from './source_text.js';
import { type Kind, kindsFor, StandInText } from './stand_ins.js';

/** A range of a text, still to be translated. */
export interface Unit {
  readonly source: SourceText;
  /** The place of the text. */
  readonly text: number;
  readonly span: Span;
  /** What the model is not given of it, in ranges of the text. */
  readonly kept: readonly KeptSpan[];
  /** How often the model was asked before, with other stand-ins. */
  readonly attempt: number;
}

/** What the model reads of a unit. */
export interface Reading {
  /** `null`: it is too long to be read at once. */
  readonly input: EncodedText | null;
  /** The range's text with stand-ins. */
  readonly line: StandInText;
  /** How many letters come before it. */
  readonly added: number;
}

export const unitOf = (source: SourceText, text: number, span: Span): Unit => ({
  source,
  text,
  span,
  kept: source.keptIn(span),
  attempt: 0,
});

/** A part of a unit; a number of it may be kept besides what its text keeps. */
export const partOf = (unit: Unit, span: Span): Unit => ({
  ...unit,
  span,
  kept: unit.kept.filter((one) => one.span[0] >= span[0] && one.span[1] <= span[1]),
});

/** Whether something is left of a unit for the model. */
export function isLanguage({ source, span: [begin, end], kept }: Unit): boolean {
  let rest = '';
  let at = begin;
  for (const { span } of kept) {
    rest += source.text.slice(at, span[0]);
    at = span[1];
  }
  return /[\p{L}\p{N}]/u.test(rest + source.text.slice(at, end));
}

/** Kept spans with ranges of the unit alone. */
export const keptWithin = ({ kept, span: [begin] }: Unit): KeptSpan[] =>
  kept.map(({ span: [from, to], text }) => ({ span: [from - begin, to - begin], text }));

/**
 * `null` where no kind of stand-in is left to try.
 *
 * @throws the signal's reason.
 */
export async function readingOf(
  translator: SentenceTranslator,
  unit: Unit,
  { generation }: Pick<ReadTranslateOptions, 'generation'>,
): Promise<Reading | null> {
  const { source, span, kept, attempt } = unit;
  let kind: Kind | undefined;
  if (kept.length > 0) {
    kind = (await kindsFor(translator, generation))[attempt];
    if (!kind) return null;
  }
  const line = new StandInText(source.lineOf(span), keptWithin(unit), kind);
  const prefix = source.prefixOf(span);
  const whole = prefix + line.text;
  const input = source.isWhole
    ? await encodeText(translator.model, whole, generation)
    : await readable(translator.model, whole, generation);
  return { input, line, added: prefix.length };
}
