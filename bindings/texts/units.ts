/**
 * Translates units: what is kept crosses as stand-ins, and numbers are compared. Where a model loses one of them it is
 * asked with other stand-ins, and at last only for what lies between, so that nothing is lost or invented whatever it
 * writes.
 */

import { Pauses } from '../engine/steps.js';
import type { EncodedText } from '../generation/inputs.js';
import type { ReadOptions } from '../generation/options.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { aroundKept, type Fragment, fragmentsOf, untranslated } from './around.js';
import { type Checked, checkNumbers } from './check_numbers.js';
import { isBeginning, isEmpty, needsParts } from './each.js';
import { type NumberLanguages, numberLanguages } from './number_languages.js';
import type { ReadTranslateOptions } from './options.js';
import type { Change, TranslatedSentence } from './results.js';
import { withRanges } from './sentence_ranges.js';
import type { SentenceTranslator } from './sentence_translator.js';
import type { StandInText } from './stand_ins.js';
import { isLanguage, partOf, type Reading, readingOf, type Unit } from './unit.js';

/** Who translates, and how. */
export interface Work {
  readonly translator: SentenceTranslator;
  readonly options: ReadTranslateOptions;
}

/** What has become of the unit at a place: a translation, or several where it did not end. */
interface PlacedParts {
  readonly place: number;
  readonly parts: Fragment[];
}

interface PlacedUnit {
  readonly place: number;
  readonly unit: Unit;
}

interface ReadUnit extends PlacedUnit {
  readonly reading: Reading;
  readonly input: EncodedText;
}

/** Units with what the model reads of them. */
export interface PreparedUnits {
  readonly ready: readonly ReadUnit[];
  readonly tooLong: readonly PlacedUnit[];
  /** Those of which the model reads only what lies between the kept. */
  readonly around: readonly PlacedUnit[];
}

/** @throws the signal's reason. */
export async function prepareUnits(work: Work, units: readonly Unit[]): Promise<PreparedUnits> {
  const ready: ReadUnit[] = [];
  const around: PlacedUnit[] = [];
  const tooLong: PlacedUnit[] = [];
  const pauses = new Pauses(work.options.generation.signal);
  for (const [place, unit] of units.entries()) {
    await pauses.after(unit.span[1] - unit.span[0]);
    // A caller who keeps nothing has the model read what has no letters, too.
    const isRead = work.options.keep === false || isLanguage(unit);
    const reading = isRead ? await readingOf(work.translator, unit, work.options) : null;
    if (!reading) around.push({ place, unit });
    else if (reading.input) ready.push({ place, unit, reading, input: reading.input });
    else tooLong.push({ place, unit });
  }
  return { ready, tooLong, around };
}

/** Yields the parts of each unit once, in any order. */
export async function* translateUnits(
  work: Work,
  { ready, tooLong, around }: PreparedUnits,
): AsyncGenerator<PlacedParts, void, void> {
  const open = new Retries(work);
  // Found out only for numbers, since it may take a file.
  const hasNumbers = ready.some(({ unit: { source, span } }) => /\p{Nd}/u.test(source.text.slice(...span)));
  const languages = hasNumbers ? await numberLanguages(work.translator, work.options) : noLanguages;
  for (const { place, unit } of tooLong) {
    const halves = halvesOf(unit);
    if (halves) open.add(place, { halves });
    else yield { place, parts: [copied(unit)] };
  }
  const options = { ...work.options, generation: withPlaces(work.options, (i) => ready[i]?.unit.text ?? 0) };
  const inputs = ready.map(({ input }) => input);
  for await (const { place: i, sentence } of work.translator.each(inputs, options)) {
    const { place, unit, reading } = ready[i] as ReadUnit;
    const outcome = settled(sentence, { unit, reading, options: work.options, languages });
    if ('part' in outcome) yield { place, parts: [{ span: unit.span, sentence: outcome.part }] };
    else open.add(place, outcome);
  }
  yield* open.translate();
  for (const { place, unit } of around) yield { place, parts: [await translatedAround(work, unit)] };
}

/** What the model was not asked rightly the first time. */
class Retries {
  readonly #work: Work;
  /** All parts of a place, in order, take the place of its unit. */
  readonly #units: PlacedUnit[] = [];
  readonly #aligned: PlacedUnit[] = [];

  constructor(work: Work) {
    this.#work = work;
  }

  add(place: number, outcome: Exclude<Outcome, { part: TranslatedSentence }>): void {
    if ('halves' in outcome) for (const unit of outcome.halves) this.#units.push({ place, unit });
    else (outcome.isAligned ? this.#aligned : this.#units).push({ place, unit: outcome.again });
  }

  async *translate(): AsyncGenerator<PlacedParts, void, void> {
    const { options } = this.#work;
    yield* byPlace(this.#work, this.#units);
    // Where only numbers need it, nobody asked for the alignment.
    for await (const { place, parts } of byPlace(
      { ...this.#work, options: { ...options, alignment: true } },
      this.#aligned,
    ))
      yield { place, parts: options.alignment ? parts : parts.map(withoutAlignment) };
  }
}

function withoutAlignment({ span, sentence: { alignment: _, ...sentence } }: Fragment): Fragment {
  return { span, sentence };
}

/** Translates units of which several may have one place. */
async function* byPlace(work: Work, units: readonly PlacedUnit[]): AsyncGenerator<PlacedParts, void, void> {
  if (units.length === 0) return;
  const parts = new Map(units.map(({ place }): [number, Fragment[]] => [place, []]));
  const own = await partsOf(
    work,
    units.map(({ unit }) => unit),
  );
  for (const [i, { place }] of units.entries()) parts.get(place)?.push(...(own[i] ?? []));
  for (const [place, all] of parts) yield { place, parts: all };
}

async function translatedAround(work: Work, unit: Unit): Promise<Fragment> {
  const fragments = (await partsOf(work, fragmentsOf(unit))).flat();
  const isAligned = work.options.alignment === true;
  const sentence = aroundKept(unit, fragments, { isAligned, isLost: isLanguage(unit) });
  return { span: unit.span, sentence };
}

/** The parts of each unit, in order. */
async function partsOf(work: Work, units: readonly Unit[]): Promise<Fragment[][]> {
  const parts: Fragment[][] = [];
  if (units.length === 0) return parts;
  const prepared = await prepareUnits(work, units);
  for await (const { place, parts: own } of translateUnits(work, prepared)) parts[place] = own;
  return parts;
}

/** The caller's function receives the places of texts, not of sentences. */
function withPlaces({ generation }: ReadTranslateOptions, textAt: (place: number) => number): ReadOptions {
  const { prefixAllowedTokens: allowed } = generation;
  if (!allowed) return generation;
  return { ...generation, prefixAllowedTokens: (i: number, ids: number[]) => allowed(textAt(i), ids) };
}

interface Asked {
  readonly unit: Unit;
  readonly reading: Reading;
  readonly options: ReadTranslateOptions;
  readonly languages: NumberLanguages;
}

const noLanguages: NumberLanguages = { source: undefined, target: undefined };

/** What is to be done with what the model wrote. */
type Outcome = Checked | { readonly halves: readonly Unit[] };

/** Judges what the model wrote for a unit. */
function settled(sentence: TranslatedSentence, { unit, reading, options, languages }: Asked): Outcome {
  if (needsParts(sentence, options)) {
    const halves = halvesOf(unit);
    if (halves) return { halves };
  }
  if (isEmpty(sentence, options)) return { part: copied(unit).sentence };
  const { line, added } = reading;
  const back = line.putBack(sentence.text, isBeginning(options));
  if (!back) return { again: { ...unit, attempt: unit.attempt + 1 }, isAligned: false };
  const moved = (at: number) => Math.max(0, at - added);
  const own = withRanges(sentence, {
    source: ([begin, end]) => line.before([moved(begin), moved(end)]),
    target: (span) => back.edited.after(span),
    text: back.edited.text,
  });
  const part = { ...own, ...withWords(sentence, line), source: [0, unit.span[1] - unit.span[0]] as Span };
  return isBeginning(options) || options.keep === false
    ? { part }
    : checkNumbers(part, back, { unit, languages });
}

/** What was kept, in all else that a sentence has of its words. */
function withWords({ alternatives, steps, unknownWords }: TranslatedSentence, line: StandInText) {
  const back = (text: string) => line.putBack(text)?.edited.text;
  return {
    unknownWords: unknownWords.filter((word) => !line.has(word)),
    ...(steps && { steps: steps.map((text) => back(text) ?? text) }),
    ...(alternatives && {
      alternatives: alternatives.flatMap((one) => {
        const text = back(one.text);
        return text === undefined ? [] : [{ ...one, text }];
      }),
    }),
  };
}

function halvesOf(unit: Unit): Unit[] | undefined {
  return unit.source.halve(unit.span)?.map((span) => partOf(unit, span));
}

/** A source as its own translation. */
function copied({ source: { text }, span }: Unit): Fragment {
  const part = text.slice(...span);
  const whole: Span = [0, part.length];
  const changed: Change[] = [{ source: whole, target: whole, was: '', reason: 'untranslated' }];
  const sentence: TranslatedSentence = {
    ...untranslated(part),
    confidence: 0,
    unknownWords: [part],
    isCopied: true,
    changed,
  };
  return { span, sentence };
}
