/** Measures where the time of a model's passes goes, part by part. */

import { hasDecoder, hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import { nextTask } from '../engine/next_task.js';
import type { GenerationProgress } from '../modules/embind.js';
import type { Media } from '../plans/front_end_config.js';
import { outputVocabularyOf, takesIds, vocabularyOf } from '../plans/model_shape.js';
import { fail } from '../values/errors.js';
import { checkNames, toInteger, toObject } from '../values/options.js';
import { describe, type TensorData } from '../values/tensor.js';
import { longestInput, syntheticIds, syntheticMedia, syntheticPass } from './synthetic_input.js';

export interface ProfileOptions {
  /**
   * Tokens per sequence; default 64, or the model's maximum if that is smaller. A model of pictures or sound reads by
   * default those of its own size (of any number of samples, a second), so that the parts have its front end, too; with
   * `tokens`, it reads vectors in place of them.
   */
  tokens?: number;
  /** Sequences per batch; default 1. */
  batch?: number;
  /** Number of rounds, of which the median is reported; default 5. Each takes at least 50 ms. */
  rounds?: number;
  signal?: AbortSignal;
}

/** One part of a pass, excluding nested parts with paths of their own. */
export interface ProfiledPart {
  /** `encoder.layers.0.self_attn.q_proj` */
  readonly path: string;
  /** Additions and multiplications in matrix products and norms. */
  readonly flops: number;
  /** Bytes of weights read. */
  readonly weightBytes: number;
  /** Bytes of activations, keys and values read and written. */
  readonly stateBytes: number;
  readonly milliseconds: number;
}

/** One pass, or one step of decoding. */
export interface ProfiledPass {
  /**
   * `encoder`: all tokens at once, after the front end; `decoder`: all tokens at once (teacher forcing); `step`: one
   * token, with the keys and values of earlier tokens cached.
   */
  readonly name: 'encoder' | 'decoder' | 'step';
  /** Number of tokens processed, over all sequences. */
  readonly tokens: number;
  /** The sum over its parts, in the median round. */
  readonly milliseconds: number;
  /** In order of execution. */
  readonly parts: readonly ProfiledPart[];
}

/** One entry for each kind of pass that the model has. */
export type Profile = readonly ProfiledPass[];

/** Decoding steps per round, after one that is not measured. */
const stepsPerRound = 16;

const roundMilliseconds = 50;

/** @throws TransformerError; the signal's reason. */
export async function profile(model: Loaded, options: ProfileOptions): Promise<Profile> {
  const { tokens: given, batch, rounds, signal } = readOptions(model, options);
  const own = options.tokens === undefined ? syntheticMedia(model, batch) : null;
  const tokens = own?.tokens ?? given;
  const measured: ProfiledPass[][] = [];
  for (let round = 0; round < rounds; round++) {
    const passes = await profileForward(model, { batch, tokens, media: own?.media }, signal);
    const step = generates(model) ? [await profileSteps(model, batch, tokens, signal)] : [];
    measured.push([...passes, ...step]);
  }
  return (measured[0] ?? []).map(({ name }) =>
    median(measured.flatMap((passes) => passes.filter((pass) => pass.name === name))),
  );
}

function readOptions(model: Loaded, options: ProfileOptions) {
  const given = toObject(options, 'options');
  checkNames(given, ['tokens', 'batch', 'rounds', 'signal'], 'options');
  const longest = longestInput(model);
  const tokens = toInteger(given.tokens ?? Math.min(64, longest), 'tokens', { min: 1 });
  if (tokens > longest)
    fail('invalid_argument', `tokens is ${tokens}, but the model's maximum is ${longest}`);
  if (given.signal !== undefined && !(given.signal instanceof AbortSignal))
    fail('invalid_argument', `signal must be an AbortSignal, got ${describe(given.signal)}`);
  return {
    tokens,
    batch: toInteger(given.batch ?? 1, 'batch', { min: 1 }),
    rounds: toInteger(given.rounds ?? 5, 'rounds', { min: 1 }),
    signal: given.signal,
  };
}

const generates = (model: Loaded) =>
  hasDecoder(model) && outputVocabularyOf(model.plan) > 0 && takesIds(model.plan, 'decoder');

/** Runs passes over both stacks for the duration of a round. */
async function profileForward(
  model: Loaded,
  { batch, tokens, media }: { batch: number; tokens: number; media: Media | undefined },
  signal: AbortSignal | undefined,
): Promise<ProfiledPass[]> {
  const isPair = hasEncoder(model) && hasDecoder(model);
  const { source, target, columns } = syntheticPass(model, batch, tokens);
  const runs: ProfiledPart[][] = [];
  for (
    const begin = performance.now();
    performance.now() - begin < roundMilliseconds || runs.length === 0;
  ) {
    await pause(model, signal);
    const output = await model.host.invoke(model.handle, 'forward', media ? undefined : source, target, {
      media,
      isCausal: target !== undefined || model.plan.isCausal === true,
      columns,
      profile: true,
    });
    runs.push(output.profile);
  }
  const parts = meanOf(runs, runs.length);
  if (!isPair) return [passOf(hasEncoder(model) ? 'encoder' : 'decoder', batch * tokens, parts)];
  const isEncoders = ({ path }: ProfiledPart) => /^(front|encoder)(\.|$)/.test(path);
  return [
    passOf('encoder', batch * tokens, parts.filter(isEncoders)),
    passOf(
      'decoder',
      batch * tokens,
      parts.filter((part) => !isEncoders(part)),
    ),
  ];
}

/** Runs steps of greedy decoding after as many tokens as the model allows. */
async function profileSteps(
  model: Loaded,
  batch: number,
  tokens: number,
  signal: AbortSignal | undefined,
): Promise<ProfiledPass> {
  const { host, plan, handle } = model;
  const longest = plan.maxPositions ?? Number.POSITIVE_INFINITY;
  const before = Math.max(1, Math.min(tokens, longest - stepsPerRound - 1));
  const rows = Array.from({ length: batch }, (_, row) => row);
  const prompts = rows.map((row) => syntheticIds(before, vocabularyOf(plan, 'decoder'), row));
  const { source } = syntheticPass(model, batch, tokens);
  const vectors = source && isVectors(source) ? source : undefined;
  const sources =
    source && !vectors ? rows.map((row) => syntheticIds(tokens, vocabularyOf(plan, 'encoder'), row)) : [];
  const input = { sources, sourceVectors: vectors, prompts, profile: true };
  const runs: ProfiledPart[][] = [];
  let steps = 0;
  for (
    const begin = performance.now();
    performance.now() - begin < roundMilliseconds || runs.length === 0;
  ) {
    await pause(model, signal);
    const generation = await host.create('Generation', handle, input, {
      maxNewTokens: stepsPerRound + 1,
    });
    const advance = (milliseconds: number) => host.invoke(generation, 'advance', milliseconds, false);
    try {
      await advance(0); // the first token, not measured because its pass feeds the prompt
      await host.invoke(generation, 'profile');
      let progress: GenerationProgress;
      do progress = await advance(roundMilliseconds);
      while (!progress.done);
      runs.push(await host.invoke(generation, 'profile'));
      steps += Math.max(1, (progress.certain[0]?.length ?? 0) - 1);
    } finally {
      await host.release(generation);
    }
  }
  return passOf('step', batch, meanOf(runs, steps));
}

async function pause(model: Loaded, signal: AbortSignal | undefined): Promise<void> {
  await nextTask();
  signal?.throwIfAborted();
  model.checkAlive();
}

const isVectors = (input: { readonly data: Int32Array | Float32Array }): input is TensorData =>
  input.data instanceof Float32Array;

type Measure = Exclude<keyof ProfiledPart, 'path'>;

const withMeasures = (path: string, of: (measure: Measure) => number): ProfiledPart => ({
  path,
  flops: of('flops'),
  weightBytes: of('weightBytes'),
  stateBytes: of('stateBytes'),
  milliseconds: of('milliseconds'),
});

/** Mean over the `passes` that the runs consist of; divided at the end, so that whole numbers stay whole. */
function meanOf(runs: readonly ProfiledPart[][], passes: number): ProfiledPart[] {
  const sums = new Map<string, ProfiledPart>();
  for (const part of runs.flat()) {
    const sum = sums.get(part.path);
    sums.set(part.path, sum ? withMeasures(part.path, (measure) => sum[measure] + part[measure]) : part);
  }
  return [...sums.values()].map((sum) => withMeasures(sum.path, (measure) => sum[measure] / passes));
}

function passOf(name: ProfiledPass['name'], tokens: number, parts: readonly ProfiledPart[]): ProfiledPass {
  return { name, tokens, milliseconds: parts.reduce((sum, part) => sum + part.milliseconds, 0), parts };
}

function median(passes: readonly ProfiledPass[]): ProfiledPass {
  const sorted = [...passes].sort((a, b) => a.milliseconds - b.milliseconds);
  return sorted[sorted.length >> 1] ?? fail('internal', 'a profile without rounds');
}
