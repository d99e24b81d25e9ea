/** Generates complete results for one input or many: greedily, by sampling or by beam search. */

import type { Hypothesis } from '../engine/embind.js';
import { passOver } from './attentions.js';
import { type Batch, batches } from './batches.js';
import { drawSeed, type TextSettings } from './engine_options.js';
import type { RowInput } from './generation_inputs.js';
import { type Input, prepareInput, type TextOrIds, withLanguages } from './inputs.js';
import { type Loaded, requireTokenizer, tokensOf } from './loaded.js';
import { type GenerationOptions, type ReadOptions, readOptions } from './options.js';
import { pull } from './pull.js';
import type { GenerationResult, Sequence } from './results.js';
import { StopTexts } from './stop_texts.js';

/**
 * The results for all inputs, in order. A result does not depend on the other inputs, unless repetition rules see the
 * padding of prompts of different lengths, as in Python.
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
    for (const [i, result] of ofBatch.entries()) results[batch.places[i] ?? i] = result;
  }
  return results;
}

async function generateBatch(
  model: Loaded,
  { inputs, options: own }: Batch,
  options: ReadOptions,
): Promise<GenerationResult[]> {
  const stops = inputs.map(({ promptIds }) => stopTexts(model, promptIds, options));
  // With several results per input, each may stop at a different point, so they are cut at the end.
  const mayStop = options.stop !== undefined && own.numReturnSequences === 1;
  let hypotheses: Hypothesis[][] = [];
  for await (const progress of pull(model, inputs, { ...options, settings: own })) {
    const haveStopped =
      mayStop &&
      progress.certain.every((ids, i) => stops[i]?.isIn([...(inputs[i]?.promptIds ?? []), ...ids]));
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
  const isPassNeeded = outputAttentions || outputHiddenStates || trace !== undefined;
  return {
    sequences,
    inputIds: encoding.ids,
    inputTokens: encoding.tokens,
    inputOffsets: encoding.offsets,
    unknownWords: encoding.unknownWords,
    ...(doSample && seed !== undefined ? { seed } : {}),
    ...(isPassNeeded && best ? await passOver(model, source, best.ids, options) : {}),
  };
}

function sequenceOf(
  model: Loaded,
  { promptIds, padding }: Input,
  hypothesis: Hypothesis,
  stop: StopTexts,
  { numBeams, lengthPenalty }: TextSettings,
): Sequence {
  const whole = Array.from(hypothesis.ids.subarray(padding));
  const ids = stop.cut(whole);
  const tokenScores = Array.from(hypothesis.tokenScores.subarray(0, ids.length - promptIds.length));
  const sum = tokenScores.reduce((total, score) => total + score, 0);
  const cutScore = numBeams > 1 ? sum / tokenScores.length ** lengthPenalty : sum;
  return {
    ids,
    tokens: model.tokenizer ? tokensOf(model, ids.slice(promptIds.length)) : [],
    text: stop.textOf(ids),
    score: ids.length === whole.length ? hypothesis.score : cutScore,
    tokenScores,
  };
}

/** @throws TransformerError `unsupported` for stop texts without a tokenizer. */
export function stopTexts(model: Loaded, promptIds: Int32Array, { stop = [] }: ReadOptions): StopTexts {
  const stops = [stop].flat();
  const tokenizer =
    stops.length > 0 ? requireTokenizer(model, 'the stop option cannot be used') : model.tokenizer;
  return new StopTexts(tokenizer, promptIds, stops);
}
