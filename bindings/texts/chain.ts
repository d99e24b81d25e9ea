/** Translates through other languages: each model reads what the one before it wrote. */

import { hasDecoder, hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { generateEach } from '../generation/generate.js';
import type { EncodedText } from '../generation/inputs.js';
import type { ReadOptions } from '../generation/options.js';
import { fail } from '../values/errors.js';
import { alignedAtOnce, isCut } from './each.js';
import { readable } from './lengths.js';
import { sentenceOf, type TranslatedSentence } from './results.js';
import type { EachOptions, PlacedSentence, SentenceTranslator } from './sentence_translator.js';
import { type AlignedTranslation, alignTokens, type ToAlign, throughPivot } from './token_alignment.js';

/** @throws TransformerError `unsupported` for a model that cannot translate */
export function chainOf(models: readonly Loaded[]): SentenceTranslator {
  const [model] = models;
  for (const [i, one] of models.entries())
    if (!hasEncoder(one) || !hasDecoder(one))
      fail('unsupported', `model ${i + 1} of the chain cannot translate: it has no encoder or no decoder`);
  return {
    model: model ?? fail('internal', 'a chain has no model'),
    last: models.at(-1),
    each: (inputs, options) => translateEach(models, inputs, options),
  };
}

/** A sentence on its way. */
interface Going {
  readonly place: number;
  readonly input: string;
  readonly sentence: TranslatedSentence;
  readonly aligned: AlignedTranslation;
}

async function* translateEach(
  models: readonly Loaded[],
  inputs: readonly EncodedText[],
  options: EachOptions,
): AsyncGenerator<PlacedSentence, void, void> {
  const [first] = models;
  if (!first) return;
  let waiting: (ToAlign & { readonly place: number })[] = [];
  for await (const { place, result } of generateEach(first, inputs, plain(options))) {
    waiting.push({ place, result, input: inputs[place]?.text ?? '' });
    if (waiting.length < alignedAtOnce) continue;
    yield* allTheWay(models, waiting, options);
    waiting = [];
  }
  yield* allTheWay(models, waiting, options);
}

/** What a pass over one model's result shows is not that of a chain. */
const plain = ({
  generation: { outputAttentions: _, outputHiddenStates: __, trace: ___, ...own },
}: EachOptions) => own as ReadOptions;

async function* allTheWay(
  models: readonly Loaded[],
  read: readonly (ToAlign & { readonly place: number })[],
  options: EachOptions,
): AsyncGenerator<PlacedSentence, void, void> {
  const [first, ...others] = models as readonly [Loaded, ...Loaded[]];
  const aligned = await alignTokens(first, read, plain(options));
  let going = read.map(({ place, input, result }, i): Going => {
    const sentence = sentenceOf(requireTokenizer(first, 'it cannot translate text'), input, result);
    const cut = isCut(first, result, plain(options)) ? ({ isCut: true } as const) : {};
    return {
      place,
      input,
      sentence: { ...sentence, ...cut, steps: [sentence.text] },
      aligned: aligned[i] as AlignedTranslation,
    };
  });
  for (const model of others) going = await further(model, going, options);
  const { wordsOf } = await import('./word_alignment.js');
  for (const { place, input, sentence, aligned: own } of going) {
    const { targetTokens, sourceSpans, targetSpans, weights } = own;
    const alignment = options.alignment && { alignment: wordsOf(input, own, models) };
    yield { place, sentence: { ...sentence, targetTokens, sourceSpans, targetSpans, weights, ...alignment } };
  }
}

/** Translates what the models before wrote. */
async function further(model: Loaded, going: readonly Going[], options: EachOptions): Promise<Going[]> {
  const generation = plain(options);
  const next: Going[] = [];
  const read: (Going & { readonly encoded: EncodedText })[] = [];
  for (const one of going) {
    const { text } = one.sentence;
    const encoded = text.trim() === '' ? null : await readable(model, text, generation);
    if (encoded) read.push({ ...one, encoded });
    // A sentence that has become too long is halved, as one whose end is missing.
    else next.push({ ...one, sentence: { ...one.sentence, text: '', isCut: true } });
  }
  const written: (ToAlign & { readonly from: Going })[] = [];
  const inputs = read.map(({ encoded }) => encoded);
  for await (const { place, result } of generateEach(model, inputs, generation))
    written.push({ result, input: inputs[place]?.text ?? '', from: read[place] as Going });
  const aligned = await alignTokens(model, written, generation);
  for (const [i, { from, input, result }] of written.entries()) {
    const own = sentenceOf(requireTokenizer(model, 'it cannot translate text'), input, result);
    const {
      sourceTokens,
      sourceOffsets,
      unknownWords,
      source,
      score,
      confidence,
      steps = [],
    } = from.sentence;
    next.push({
      ...from,
      aligned: throughPivot(from.aligned, aligned[i] as AlignedTranslation),
      sentence: {
        ...own,
        ...{ sourceTokens, sourceOffsets, unknownWords, source },
        score: score + own.score,
        confidence: confidence * own.confidence,
        steps: [...steps, own.text],
        ...((from.sentence.isCut || isCut(model, result, generation)) && { isCut: true }),
      },
    });
  }
  return next;
}
