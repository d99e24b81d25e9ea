/** Translates texts of any length: taken apart, translated in batches of similar lengths, and put together again. */

import { fail } from '../values/errors.js';
import type { Fragment } from './around.js';
import { Joining } from './joining.js';
import type { ReadTranslateOptions } from './options.js';
import type { TranslatedSentence, Translation } from './results.js';
import type { SentenceTranslator } from './sentence_translator.js';
import { SourceText } from './source_text.js';
import { type Unit, unitOf } from './unit.js';
import { type PreparedUnits, prepareUnits, translateUnits, type Work } from './units.js';

/**
 * The most sentences that are prepared together: enough for every batch to be of one length, and little memory. The
 * first are few, so that the engine soon has something to compute.
 */
const mostAtOnce = 1024;
const firstAtOnce = 128;

/** @throws TransformerError; the signal's reason. */
export async function translateTexts(
  translator: SentenceTranslator,
  texts: readonly string[],
  options: ReadTranslateOptions,
): Promise<Translation[]> {
  const units = unitsOf(translator, texts, options);
  const joinings = texts.map((text) => new Joining(text));
  for await (const { unit, part } of inOrder({ translator, options }, units, firstAtOnce))
    joinings[unit.text]?.add(part.sentence, part.span);
  return joinings.map((joining) => joining.finish());
}

/** @throws TransformerError; the signal's reason. */
export async function* streamText(
  translator: SentenceTranslator,
  text: string,
  options: ReadTranslateOptions,
): AsyncGenerator<TranslatedSentence, Translation, void> {
  if (options.html) fail('unsupported', 'HTML is translated as a whole: use translate, or translateElement');
  const units = unitsOf(translator, [text], options);
  const joining = new Joining(text);
  // The first sentence comes soon, and later ones in full batches.
  for await (const { part } of inOrder({ translator, options }, units, 1)) {
    yield joining.add(part.sentence, part.span);
    // Whoever reads may have taken long, or aborted.
    options.generation.signal?.throwIfAborted();
    translator.model.checkAlive();
  }
  return joining.finish();
}

function unitsOf(
  { model }: SentenceTranslator,
  texts: readonly string[],
  options: ReadTranslateOptions,
): Unit[] {
  const sources = SourceText.ofAll(model, texts, options);
  return sources.flatMap((source, text) => source.spans.map((span) => unitOf(source, text, span)));
}

/**
 * Yields the parts of all units in order: of `first` of them together, then of as many as were translated before. While
 * the engine translates some, the next are prepared.
 */
async function* inOrder(
  work: Work,
  units: readonly Unit[],
  first: number,
): AsyncGenerator<{ readonly unit: Unit; readonly part: Fragment }, void, void> {
  const chunkAt = (begin: number) => units.slice(begin, begin + Math.min(Math.max(first, begin), mostAtOnce));
  const prepare = (begin: number) => {
    const preparing = prepareUnits(work, chunkAt(begin));
    preparing.catch(() => undefined); // thrown where it is waited for
    return preparing;
  };
  let done = 0;
  let coming: Promise<PreparedUnits> | undefined;
  for (let begin = 0; begin < units.length; ) {
    const some = chunkAt(begin);
    const prepared = await (coming ?? prepare(begin));
    begin += some.length;
    coming = undefined;
    const waiting: Fragment[][] = [];
    let at = 0;
    for await (const { place, parts } of translateUnits(work, prepared)) {
      coming ??= prepare(begin);
      waiting[place] = parts;
      work.options.onProgress?.({ done: ++done, total: units.length });
      for (; waiting[at]; at++) {
        const unit = some[at];
        for (const part of waiting[at] ?? []) if (unit) yield { unit, part };
      }
    }
  }
}
