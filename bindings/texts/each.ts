/** Translates inputs that the model reads as they are: sentences, or texts that nobody wants to have split. */

import { type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { engineOptions } from '../generation/combined_options.js';
import { generateEach } from '../generation/generate.js';
import type { EncodedText } from '../generation/inputs.js';
import type { ReadOptions } from '../generation/options.js';
import type { GenerationResult } from '../generation/results.js';
import type { ReadTranslateOptions } from './options.js';
import { sentenceOf, type TranslatedSentence } from './results.js';
import type { EachOptions, PlacedSentence, SentenceTranslator } from './sentence_translator.js';
import type { ToAlign } from './token_alignment.js';
import type { WordAlignment } from './word_alignment.js';

/** A model alone, as one who translates sentences. */
export const translatorOf = (model: Loaded): SentenceTranslator => ({
  model,
  each: (inputs, options) => translateEach(model, inputs, options),
});

/** Yields the translations with their places, those of short inputs first. */
async function* translateEach(
  model: Loaded,
  inputs: readonly EncodedText[],
  { generation, alignment }: EachOptions,
): AsyncGenerator<PlacedSentence, void, void> {
  const tokenizer = requireTokenizer(model, 'it cannot translate text');
  const aligner = alignment ? await import('./word_alignment.js') : null;
  let waiting: Translated[] = [];
  for await (const { place, result } of generateEach(model, inputs, generation)) {
    const input = inputs[place]?.text ?? '';
    const sentence = sentenceOf(tokenizer, input, result);
    if (isCut(model, result, generation)) sentence.isCut = true;
    if (!aligner) yield { place, sentence };
    else waiting.push({ place, sentence, input, result });
    if (waiting.length < alignedAtOnce) continue;
    yield* aligned(waiting);
    waiting = [];
  }
  yield* aligned(waiting);

  async function* aligned(some: readonly Translated[]) {
    const alignments = (await aligner?.alignAll(model, some, generation)) ?? [];
    for (const [i, { place, sentence }] of some.entries()) {
      sentence.alignment = alignments[i] as WordAlignment;
      yield { place, sentence };
    }
  }
}

/** Sentences that are aligned together, which come in batches of similar lengths. */
export const alignedAtOnce = 32;

/** A sentence that waits for its alignment. */
interface Translated extends ToAlign, PlacedSentence {}

/** Whether the model was stopped, instead of writing an end. */
export function isCut(model: Loaded, { sequences: [best] }: GenerationResult, options: ReadOptions): boolean {
  if (!best || options.stop !== undefined) return false;
  const ends = [options.eosTokenId ?? model.generation.eosTokenIds].flat();
  if (!ends.includes(best.ids.at(-1) ?? -1)) return true;
  const { forcedEosTokenId = model.generation.options.forcedEosTokenId } = options;
  if (forcedEosTokenId === undefined) return false;
  const written = best.tokenScores.length;
  return written >= engineOptions(model, options, best.ids.length - written).maxNewTokens;
}

/** A sentence with fewer tokens does not gain from being broken. */
const fewTokens = 16;

/** Whether parts of a sentence promise more than its translation, whose end is missing. */
export const needsParts = ({ isCut, sourceTokens }: TranslatedSentence, options: ReadTranslateOptions) =>
  isCut === true && sourceTokens.length >= fewTokens && !isLimited(options);

/** Whether the model has nothing to say to a sentence, which is then left as it is. */
export const isEmpty = ({ text }: TranslatedSentence, options: ReadTranslateOptions) =>
  text.trim() === '' && !isLimited(options);

/** Whether the caller wants no more than a beginning. */
export const isBeginning = ({ generation: { maxNewTokens, maxLength, stop } }: ReadTranslateOptions) =>
  (maxNewTokens ?? maxLength ?? stop) !== undefined;

const isLimited = (options: ReadTranslateOptions) => options.split === false || isBeginning(options);
