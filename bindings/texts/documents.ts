/** Translates texts of any length: taken apart, translated in batches of similar lengths, and put together again. */

import { fail } from '../values/errors.js';
import type { Fragment } from './around.js';
import { Joining } from './joining.js';
import type { ReadTranslateOptions } from './options.js';
import type { TranslatedSentence, Translation } from './results.js';
import type { SentenceTranslator } from './sentence_translator.js';
import { SourceText } from './source_text.js';
import { type Unit, unitOf } from './unit.js';
import { translateUnits, type Work } from './units.js';

/** The most sentences that are prepared together: enough for every batch to be of one length, and little memory. */
const atOnce = 1024;

/** @throws TransformerError; the signal's reason. */
export async function translateTexts(
  translator: SentenceTranslator,
  texts: readonly string[],
  options: ReadTranslateOptions,
): Promise<Translation[]> {
  const units = unitsOf(translator, texts, options);
  const joinings = texts.map((text) => new Joining(text));
  for await (const { unit, part } of inOrder({ translator, options }, units, () => atOnce))
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
  // As many as were translated before: the first sentence comes soon, and later ones in full batches.
  const next = (done: number) => Math.min(Math.max(1, done), atOnce);
  for await (const { part } of inOrder({ translator, options }, units, next)) {
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
 * Yields the parts of all units in order.
 *
 * @param next how many units to translate next, after this many
 */
async function* inOrder(
  work: Work,
  units: readonly Unit[],
  next: (done: number) => number,
): AsyncGenerator<{ readonly unit: Unit; readonly part: Fragment }, void, void> {
  let done = 0;
  for (let begin = 0; begin < units.length; ) {
    const some = units.slice(begin, begin + next(begin));
    begin += some.length;
    const waiting: Fragment[][] = [];
    let first = 0;
    for await (const { place, parts } of translateUnits(work, some)) {
      waiting[place] = parts;
      work.options.onProgress?.({ done: ++done, total: units.length });
      for (; waiting[first]; first++) {
        const unit = some[first];
        for (const part of waiting[first] ?? []) if (unit) yield { unit, part };
      }
    }
  }
}
