/** Generates whole results: one input or many at once, greedy, sampled or by beams. */

import type { Hypothesis } from '../engine/embind.js';
import { passOver } from './attentions.js';
import { type Batch, batches } from './batches.js';
import { drawSeed, type TextSettings } from './engine_options.js';
import type { RowInput } from './generation_inputs.js';
import { type Input, prepareInput, type TextOrIds, withLanguages } from './inputs.js';
import { type Loaded, namesOf, requireTokenizer } from './loaded.js';
import { type GenerationOptions, type ReadOptions, readOptions } from './options.js';
import { pull } from './pull.js';
import type { GenerationResult, Sequence } from './results.js';
import { StopTexts } from './stop_texts.js';

/**
 * The results for every input, in order. What an input gives does not depend on those beside it, but where rules against
 * repetition see the padding of prompts of different lengths, as they do in Python.
 *
 * @throws TransformerError; the signal's reason.
 */
export async function generate(
  model: Loaded,
  inputs: readonly (TextOrIds | RowInput)[],
  given: GenerationOptions,
): Promise<GenerationResult[]> {
  const options = readOptions(given);
  options.signal?.throwIfAborted();
  const seeded = { ...withLanguages(model, options), seed: options.seed ?? drawSeed() };
  const prepared: Input[] = [];
  for (const [i, input] of inputs.entries()) {
    const name = inputs.length > 1 ? `input ${i + 1} of ${inputs.length}` : 'the input';
    prepared.push(await prepareInput(model, input, options, name));
  }
  const results: GenerationResult[] = [];
  for (const batch of batches(model, prepared, seeded)) {
    const ofBatch = await generateBatch(model, batch, seeded);
    for (const [i, place] of batch.places.entries()) results[place] = ofBatch[i] as GenerationResult;
  }
  return results;
}

async function generateBatch(
  model: Loaded,
  { inputs, options: own }: Batch,
  options: ReadOptions,
): Promise<GenerationResult[]> {
  const stops = inputs.map(({ prompt }) => stopTexts(model, prompt, options));
  // Several results need not stop together, so those are cut when all are there.
  const mayStop = options.stop !== undefined && own.numReturnSequences === 1;
  let hypotheses: Hypothesis[][] = [];
  for await (const progress of pull(model, inputs, { ...options, settings: own })) {
    const haveStopped =
      mayStop && progress.certain.every((ids, i) => stops[i]?.isIn([...(inputs[i]?.prompt ?? []), ...ids]));
    if (!progress.done && !haveStopped) continue;
    hypotheses = await progress.results();
    break;
  }
  const results: GenerationResult[] = [];
  for (const [i, input] of inputs.entries()) {
    const stop = stops[i] as StopTexts;
    const sequences = (hypotheses[i] ?? []).map((hypothesis) =>
      sequenceOf(model, input, hypothesis, stop, own),
    );
    results.push(await resultOf(model, input, sequences, { ...options, doSample: own.doSample }));
  }
  return results;
}

async function resultOf(
  model: Loaded,
  { encoding, source }: Input,
  sequences: Sequence[],
  options: ReadOptions,
): Promise<GenerationResult> {
  const { outputAttentions, outputHiddenStates, trace, doSample, seed } = options;
  const [best] = sequences;
  const isSeen = outputAttentions || outputHiddenStates || trace !== undefined;
  return {
    sequences,
    inputIds: encoding.ids,
    inputTokens: encoding.tokens,
    inputOffsets: encoding.offsets,
    unknownWords: encoding.unknownWords,
    ...(doSample && seed !== undefined ? { seed } : {}),
    ...(isSeen && best ? await passOver(model, source, best.ids, options) : {}),
  };
}

function sequenceOf(
  model: Loaded,
  { prompt, padding }: Input,
  hypothesis: Hypothesis,
  stop: StopTexts,
  { numBeams, lengthPenalty }: TextSettings,
): Sequence {
  const whole = Array.from(hypothesis.ids.subarray(padding));
  const ids = stop.cut(whole);
  const tokenScores = Array.from(hypothesis.tokenScores.subarray(0, ids.length - prompt.length));
  const sum = tokenScores.reduce((total, score) => total + score, 0);
  const cutScore = numBeams > 1 ? sum / tokenScores.length ** lengthPenalty : sum;
  return {
    ids,
    tokens: model.tokenizer ? namesOf(model, ids.slice(prompt.length)) : [],
    text: stop.textOf(ids),
    score: ids.length === whole.length ? hypothesis.score : cutScore,
    tokenScores,
  };
}

/** @throws TransformerError `unsupported` where there are stops but no tokenizer. */
export function stopTexts(model: Loaded, prompt: Int32Array, { stop = [] }: ReadOptions): StopTexts {
  const stops = [stop].flat();
  const tokenizer =
    stops.length > 0 ? requireTokenizer(model, 'it cannot look for a text to stop at') : model.tokenizer;
  return new StopTexts(tokenizer, prompt, stops);
}
