/** Translates texts of any length: taken apart, translated in batches of similar lengths, and put together again. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import { isEmpty, needsParts, translateEach } from './each.js';
import { Joining } from './joining.js';
import { fits } from './lengths.js';
import type { ReadTranslateOptions } from './options.js';
import type { TranslatedSentence, Translation } from './results.js';
import { SourceText } from './source_text.js';

/** A piece that the model reads at once. */
interface Unit {
  readonly source: SourceText;
  /** The place of the text. */
  readonly text: number;
  readonly span: Span;
}

/** A range of a text, and its translation with ranges of its own. */
interface Part {
  readonly span: Span;
  readonly sentence: TranslatedSentence;
}

/** The most sentences that are prepared together: enough for every batch to be of one length, and little memory. */
const atOnce = 1024;

/** @throws TransformerError; the signal's reason. */
export async function translateTexts(
  model: Loaded,
  texts: readonly string[],
  options: ReadTranslateOptions,
): Promise<Translation[]> {
  const sources = await SourceText.ofAll(model, texts, options);
  const units = sources.flatMap((source, text) => source.spans.map((span) => ({ source, text, span })));
  const joinings = texts.map((text) => new Joining(text));
  for await (const { unit, part } of inOrder(model, units, options, () => atOnce))
    joinings[unit.text]?.add(part.sentence, part.span);
  return joinings.map((joining) => joining.finish());
}

/** @throws TransformerError; the signal's reason. */
export async function* streamText(
  model: Loaded,
  text: string,
  options: ReadTranslateOptions,
): AsyncGenerator<TranslatedSentence, Translation, void> {
  if (options.html) fail('unsupported', 'HTML is translated as a whole: use translate, or translateElement');
  const sources = await SourceText.ofAll(model, [text], options);
  const units = sources.flatMap((source) => source.spans.map((span) => ({ source, text: 0, span })));
  const joining = new Joining(text);
  // As many as were translated before: the first sentence comes soon, and later ones in full batches.
  const next = (done: number) => Math.min(Math.max(1, done), atOnce);
  for await (const { part } of inOrder(model, units, options, next)) {
    yield joining.add(part.sentence, part.span);
    // Whoever reads may have taken long, or aborted.
    options.generation.signal?.throwIfAborted();
    model.checkAlive();
  }
  return joining.finish();
}

/**
 * Yields the parts of all units in order.
 *
 * @param next how many units to translate next, after this many
 */
async function* inOrder(
  model: Loaded,
  units: readonly Unit[],
  options: ReadTranslateOptions,
  next: (done: number) => number,
): AsyncGenerator<{ readonly unit: Unit; readonly part: Part }, void, void> {
  let done = 0;
  for (let begin = 0; begin < units.length; ) {
    const some = units.slice(begin, begin + next(begin));
    begin += some.length;
    const waiting: Part[][] = [];
    let first = 0;
    for await (const { place, parts } of translateUnits(model, some, options)) {
      waiting[place] = parts;
      options.onProgress?.({ done: ++done, total: units.length });
      for (; waiting[first]; first++) {
        const unit = some[first];
        for (const part of waiting[first] ?? []) if (unit) yield { unit, part };
      }
    }
  }
}

/** Yields each unit's parts: one, or several where its translation did not end. */
async function* translateUnits(
  model: Loaded,
  units: readonly Unit[],
  options: ReadTranslateOptions,
): AsyncGenerator<{ readonly place: number; readonly parts: Part[] }, void, void> {
  const isWhole = options.split === false;
  const readable: number[] = [];
  for (const [place, { source, span }] of units.entries()) {
    if (isWhole || (await fits(model, source.inputOf(span), options.generation))) readable.push(place);
    else yield { place, parts: [copied(source, span)] };
  }
  const unitAt = (i: number) => units[readable[i] ?? 0] as Unit;
  const inputs = readable.map((place) => units[place]?.source.inputOf(units[place].span) ?? '');
  const own = { ...options, generation: withPlaces(options, (i) => unitAt(i).text) };
  const endless: number[] = [];
  for await (const { place: i, sentence } of translateEach(model, inputs, own)) {
    const place = readable[i] ?? 0;
    const { source, span } = unitAt(i);
    if (needsParts(sentence, options) && source.halve(span)) endless.push(place);
    else if (isEmpty(sentence, options)) yield { place, parts: [copied(source, span)] };
    else yield { place, parts: [{ span, sentence: withoutPrefix(sentence, source, span) }] };
  }
  for (const place of endless) yield { place, parts: await inParts(model, units[place] as Unit, options) };
}

async function inParts(model: Loaded, unit: Unit, options: ReadTranslateOptions): Promise<Part[]> {
  const halved = unit.source.halve(unit.span) ?? [];
  const parts: Part[][] = [];
  const units = halved.map((span) => ({ ...unit, span }));
  for await (const { place, parts: own } of translateUnits(model, units, options)) parts[place] = own;
  return parts.flat();
}

/** The caller's function receives the places of texts, not of sentences. */
function withPlaces({ generation }: ReadTranslateOptions, textAt: (place: number) => number) {
  const { prefixAllowedTokens: allowed } = generation;
  if (!allowed) return generation;
  return { ...generation, prefixAllowedTokens: (i: number, ids: number[]) => allowed(textAt(i), ids) };
}

/** A source as its own translation. */
function copied({ text }: SourceText, span: Span): Part {
  const part = text.slice(...span);
  const sentence: TranslatedSentence = {
    text: part,
    tokens: [],
    score: 0,
    confidence: 0,
    source: [0, part.length],
    target: [0, part.length],
    sourceTokens: [],
    sourceOffsets: [],
    unknownWords: [part],
    isCopied: true,
  };
  return { span, sentence };
}

/** Ranges in a sentence, of which the model read more. */
function withoutPrefix(sentence: TranslatedSentence, source: SourceText, span: Span): TranslatedSentence {
  const added = source.addedTo(span);
  if (added === 0) return sentence;
  const { alignment } = sentence;
  const moved = ([begin, end]: Span): Span => [Math.max(0, begin - added), Math.max(0, end - added)];
  return {
    ...sentence,
    sourceOffsets: sentence.sourceOffsets.map((offsets) => {
      const own = offsets && moved(offsets);
      return own && own[0] < own[1] ? own : null;
    }),
    ...(alignment && { alignment: { ...alignment, sourceWords: alignment.sourceWords.map(moved) } }),
  };
}
