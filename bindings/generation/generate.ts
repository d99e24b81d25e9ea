/** Generates complete results for one input or many: greedily, by sampling or by beam search. */

import { type Loaded, requireTokenizer, tokensOf } from '../checkpoint/loaded.js';
import type { Hypothesis } from '../modules/embind.js';
import { type Batch, batches } from './batches.js';
import { drawSeed, type TextSettings } from './combined_options.js';
import { Copying } from './copying.js';
import type { RowInput } from './generation_inputs.js';
import { type Input, prepareInput, type TextOrIds, withLanguages } from './inputs.js';
import { type GenerationOptions, type ReadOptions, readOptions } from './options.js';
import { pull } from './pull.js';
import type { Attentions, GenerationResult, Sequence } from './results.js';
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
  { inputs, options: own, places }: Batch,
  options: ReadOptions,
): Promise<GenerationResult[]> {
  const stops = inputs.map(({ promptIds }) => stopTexts(model, promptIds, options));
  // With several results per input, each may stop at a different point, so they are cut at the end.
  const mayStop = options.stop !== undefined && own.numReturnSequences === 1;
  let hypotheses: Hypothesis[][] = [];
  const settings = { ...options, settings: own, places, reportsResults: mayStop };
  for await (const progress of pull(model, inputs, settings)) {
    const haveStopped =
      mayStop &&
      progress.certain.every((ids, i) => stops[i]?.isIn([...(inputs[i]?.promptIds ?? []), ...ids]));
    if (!progress.done && !haveStopped) continue;
    hypotheses = progress.results;
    break;
  }
  const results: GenerationResult[] = [];
  for (const [i, input] of inputs.entries()) {
    const written: Written[] = [];
    for (const hypothesis of hypotheses[i] ?? [])
      written.push(await sequenceOf(model, input, hypothesis, { ...options, settings: own }));
    results.push(await resultOf(model, input, written, { ...options, doSample: own.doSample }));
  }
  return results;
}

/** A result, and the words copied to it. */
interface Written {
  readonly sequence: Sequence;
  readonly copying: Copying | null;
}

async function resultOf(
  model: Loaded,
  { encoding, source }: Input,
  written: readonly Written[],
  options: ReadOptions,
): Promise<GenerationResult> {
  const { outputAttentions, outputHiddenStates, trace, doSample, seed } = options;
  const [best] = written;
  const isPassNeeded = outputAttentions || outputHiddenStates || trace !== undefined;
  return {
    sequences: written.map(({ sequence }) => sequence),
    inputIds: encoding.ids,
    inputTokens: encoding.tokens,
    inputOffsets: encoding.offsets,
    unknownWords: encoding.unknownWords,
    ...(doSample && seed !== undefined ? { seed } : {}),
    ...(isPassNeeded && best ? await passOverBest(model, source, best, options) : {}),
  };
}

/** The pass's labels are the tokens of the result, copied words among them. */
async function passOverBest(
  model: Loaded,
  source: Input['source'],
  { sequence, copying }: Written,
  options: ReadOptions,
): Promise<Partial<Attentions>> {
  const { passOver } = await import('./passes.js');
  const pass = await passOver(model, source, sequence.ids, options);
  if (!copying || !pass.axes) return pass;
  const first = tokensOf(model, sequence.ids.slice(0, 1));
  const tokens = copying.tokens([...first, ...pass.axes.written]);
  return { ...pass, axes: { ...pass.axes, decoder: tokens.slice(0, -1), written: tokens.slice(1) } };
}

async function sequenceOf(
  model: Loaded,
  input: Input,
  hypothesis: Hypothesis,
  options: ReadOptions & { settings: TextSettings },
): Promise<Written> {
  const { promptIds, padding } = input;
  const { numBeams, lengthPenalty } = options.settings;
  const whole = Array.from(hypothesis.ids.subarray(padding));
  const copying = Copying.of(model, input, options.heads);
  await copying?.read(whole);
  const stop = stopTexts(model, promptIds, options, copying);
  const ids = stop.cut(whole);
  const tokenScores = Array.from(hypothesis.tokenScores.subarray(0, ids.length - promptIds.length));
  const sum = tokenScores.reduce((total, score) => total + score, 0);
  const cutScore = numBeams > 1 ? sum / tokenScores.length ** lengthPenalty : sum;
  const tokens = model.tokenizer ? tokensOf(model, whole.slice(promptIds.length)) : [];
  const sequence = {
    ids,
    tokens: (copying?.tokens(tokens) ?? tokens).slice(0, ids.length - promptIds.length),
    text: stop.textOf(ids),
    score: ids.length === whole.length ? hypothesis.score : cutScore,
    tokenScores,
  };
  return { sequence, copying };
}

/** @throws TransformerError `unsupported` for stop texts without a tokenizer. */
export function stopTexts(
  model: Loaded,
  promptIds: Int32Array,
  { stop = [] }: ReadOptions,
  copying: Copying | null = null,
): StopTexts {
  const stops = [stop].flat();
  const tokenizer =
    stops.length > 0 ? requireTokenizer(model, 'the stop option cannot be used') : model.tokenizer;
  return new StopTexts(copying ?? tokenizer, promptIds, stops);
}
