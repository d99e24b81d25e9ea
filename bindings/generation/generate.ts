/** Generates complete results for one input or many: greedily, by sampling or by beam search. */

import { type Loaded, requireTokenizer, tokensOf } from '../checkpoint/loaded.js';
import { Pauses } from '../engine/steps.js';
import type { Hypothesis } from '../modules/embind.js';
import { type Batch, batches } from './batches.js';
import { drawSeed, type TextSettings } from './combined_options.js';
import type { Copying } from './copying.js';
import { type Given, type Input, lettersOf, prepareInput, withLanguages } from './inputs.js';
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
  inputs: readonly Given[],
  given: GenerationOptions,
): Promise<GenerationResult[]> {
  const results: GenerationResult[] = [];
  for await (const { place, result } of generateEach(model, inputs, readOptions(given)))
    results[place] = result;
  return results;
}

/** Yields each of these results with its place as soon as its batch is complete: those of short inputs first. */
export async function* generateEach(
  model: Loaded,
  inputs: readonly Given[],
  options: ReadOptions,
): AsyncGenerator<{ readonly place: number; readonly result: GenerationResult }, void, void> {
  options.signal?.throwIfAborted();
  const seeded = { ...withLanguages(model, options), seed: options.seed ?? drawSeed() };
  const prepared: Input[] = [];
  const pauses = new Pauses(options.signal);
  for (const [i, input] of inputs.entries()) {
    const name = inputs.length > 1 ? `input ${i + 1} of ${inputs.length}` : 'the input';
    prepared.push(await prepareInput(model, input, options, name));
    await pauses.after(lettersOf(input));
  }
  const searches = batches(model, prepared, seeded).map((batch) => new BatchSearch(model, batch, seeded));
  // A worker computes the next batch while the results of this one are read.
  const isAhead = model.host.inWorker;
  try {
    for (const [at, search] of searches.entries()) {
      const hypotheses = await search.hypotheses();
      if (isAhead) void searches[at + 1]?.hypotheses();
      const results = await resultsOf(model, search.batch, hypotheses, seeded);
      for (const [i, result] of results.entries()) yield { place: search.batch.places[i] ?? i, result };
    }
  } finally {
    for (const search of searches) search.leave();
  }
}

/** The search of a batch. */
class BatchSearch {
  readonly batch: Batch;
  readonly #model: Loaded;
  readonly #options: ReadOptions;
  #found: Promise<Hypothesis[][]> | undefined;
  #isLeft = false;

  constructor(model: Loaded, batch: Batch, options: ReadOptions) {
    this.#model = model;
    this.batch = batch;
    this.#options = options;
  }

  /** Begins, unless it has begun. */
  hypotheses(): Promise<Hypothesis[][]> {
    this.#found ??= this.#search();
    this.#found.catch(() => undefined); // whoever waits for it hears of a failure
    return this.#found;
  }

  /** Ends the search at its next report, if it has begun. */
  leave(): void {
    this.#isLeft = true;
  }

  async #search(): Promise<Hypothesis[][]> {
    const { inputs, options: settings, places } = this.batch;
    // With several results per input, each may stop at a different point, so they are cut at the end.
    const mayStop = this.#options.stop !== undefined && settings.numReturnSequences === 1;
    const endings: Ending[] = [];
    if (mayStop) for (const input of inputs) endings.push(await endingOf(this.#model, input, this.#options));
    const wanted = { ...this.#options, settings, places, reportsResults: mayStop };
    for await (const progress of pull(this.#model, inputs, wanted)) {
      if (this.#isLeft) break;
      if (progress.done || (mayStop && (await haveStopped(endings, inputs, progress.certain))))
        return progress.results;
    }
    return [];
  }
}

async function resultsOf(
  model: Loaded,
  { inputs, options: own }: Batch,
  hypotheses: readonly Hypothesis[][],
  options: ReadOptions,
): Promise<GenerationResult[]> {
  const results: GenerationResult[] = [];
  for (const [i, input] of inputs.entries()) {
    const written: Written[] = [];
    for (const hypothesis of hypotheses[i] ?? [])
      written.push(await sequenceOf(model, input, hypothesis, { ...options, settings: own }));
    // Stop texts change the scores that the beams were sorted by.
    if (own.numBeams > 1) written.sort((a, b) => b.sequence.score - a.sequence.score);
    results.push(await resultOf(model, input, written, { ...options, doSample: own.doSample }));
  }
  return results;
}

/** The search for stop texts in a result. */
interface Ending {
  readonly stops: StopTexts;
  readonly copying: Copying | null;
}

/** Few models copy: what they need loads with them. */
export async function copyingOf(model: Loaded, input: Input, options: ReadOptions): Promise<Copying | null> {
  return model.plan.copying ? (await import('./copying.js')).Copying.of(model, input, options) : null;
}

async function endingOf(model: Loaded, input: Input, options: ReadOptions): Promise<Ending> {
  const copying = await copyingOf(model, input, options);
  return { copying, stops: stopTexts(model, input.promptIds, options, copying) };
}

/** @param certain the ids of each input that were generated so far, without its prompt */
async function haveStopped(
  endings: readonly Ending[],
  inputs: readonly Input[],
  certain: readonly Int32Array[],
): Promise<boolean> {
  for (const [i, { stops, copying }] of endings.entries()) {
    const ids = [...(inputs[i]?.promptIds ?? []), ...(certain[i] ?? [])];
    await copying?.read(ids);
    if (stops.endIn(ids) === null) return false;
  }
  return true;
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
  const isPassNeeded = outputAttentions || outputHiddenStates || trace !== undefined;
  const passes: Partial<Attentions>[] = [];
  if (isPassNeeded) for (const one of written) passes.push(await passOverResult(model, source, one, options));
  return {
    sequences: written.map(({ sequence }) => sequence),
    inputIds: encoding.ids,
    inputTokens: encoding.tokens,
    inputOffsets: encoding.offsets,
    unknownWords: encoding.unknownWords,
    ...(doSample && seed !== undefined ? { seed } : {}),
    ...(isPassNeeded && { ...passes[0], passes }),
  };
}

/** The pass's labels are the tokens of the result, copied words among them. */
async function passOverResult(
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
  const whole = Array.from(hypothesis.ids.subarray(padding));
  const { stops, copying } = await endingOf(model, input, options);
  await copying?.read(whole);
  const end = stops.endIn(whole);
  const ids = whole.slice(0, end ?? whole.length);
  const tokenScores = Array.from(hypothesis.tokenScores.subarray(0, ids.length - promptIds.length));
  const tokens = model.tokenizer ? tokensOf(model, whole.slice(promptIds.length)) : [];
  const tops = options.settings.topLogprobs ? await import('./top_logprobs.js') : null;
  const sequence = {
    ids,
    tokens: (copying?.tokens(tokens) ?? tokens).slice(0, ids.length - promptIds.length),
    text: stops.textOf(ids),
    score: end === null ? hypothesis.score : scoreOf(tokenScores, options.settings),
    tokenScores,
    ...(tops && { topLogprobs: tokenScores.map((_, place) => tops.topLogprobsAt(model, hypothesis, place)) }),
  };
  return { sequence, copying };
}

/**
 * The score of a sequence that a stop text ends: added like the engine's, in float32, and of the tokens before the end
 * alone, whatever the engine has generated after it.
 */
function scoreOf(tokenScores: readonly number[], { numBeams, lengthPenalty }: TextSettings): number {
  const sum = tokenScores.reduce((total, score) => Math.fround(total + score), 0);
  return numBeams > 1 ? Math.fround(sum / tokenScores.length ** lengthPenalty) : sum;
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
