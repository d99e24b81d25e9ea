/** Pulls tokens out of the engine: between two requests, the caller can abort. */

import { isIds } from '../checkpoint/generation_options.js';
import type { Handle } from '../engine/calls.js';
import type {
  GenerationInput,
  GenerationOptions,
  GenerationProgress,
  HeadFactor,
  Hypothesis,
} from '../engine/embind.js';
import { fail } from '../engine/errors.js';
import { nextTask } from '../engine/next_task.js';
import { describe, type TensorData } from '../engine/tensor.js';
import type { Input, Source } from './inputs.js';
import type { Loaded } from './loaded.js';
import type { AllowedTokens } from './options.js';

/** Progress of a generation. */
export interface Progress {
  readonly done: boolean;
  /** For each input, the generated tokens that its best result is certain to begin with. */
  readonly certain: readonly Int32Array[];
  /** For each input, the results so far, best first. */
  results(): Promise<Hypothesis[][]>;
}

/** What is generated from: an input, or in place of its source the output of the encoder. */
export type PullInput = Pick<Input, 'promptIds' | 'padding' | 'padId'> &
  ({ readonly source: Source | null } | { readonly memory: TensorData });

/** Settings of a generation. */
export interface PullSettings {
  /** The engine's options. */
  readonly settings: Partial<GenerationOptions>;
  readonly heads?: HeadFactor[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly prefixAllowedTokens?: AllowedTokens | undefined;
  /** The place of each input among those of the caller; default: from 0 on. */
  readonly places?: readonly number[] | undefined;
}

/**
 * Generates for several inputs at once and reports every few tokens. Leaving the loop early ends the generation.
 *
 * @throws TransformerError; the signal's reason.
 */
export async function* pull(
  model: Loaded,
  inputs: readonly PullInput[],
  { settings, heads = [], signal, prefixAllowedTokens: allowed, places = [] }: PullSettings,
): AsyncGenerator<Progress, void, void> {
  const { host, transformer } = model;
  signal?.throwIfAborted();
  const input = { ...engineInput(inputs), heads };
  const generation = await host.create('Generation', transformer, input, settings);
  try {
    const progresses = allowed
      ? steps(model, generation, (i, ids) => allowedIds(allowed, places[i] ?? i, ids), inputs.length)
      : host.run(generation, signal);
    for await (const progress of progresses) {
      signal?.throwIfAborted();
      model.checkAlive();
      yield { ...progress, results: () => host.invoke(generation, 'results') };
    }
  } finally {
    await host.release(generation);
  }
}

/** Asks before each step which ids the sequences may take: a request for each, in place of one for the whole generation. */
async function* steps(
  { host }: Loaded,
  generation: Handle<'Generation'>,
  ask: (input: number, ids: number[]) => number[],
  inputs: number,
): AsyncGenerator<GenerationProgress, void, void> {
  for (let done = false; !done; ) {
    await nextTask();
    for (let i = 0; i < inputs; i++) {
      const rows = await host.invoke(generation, 'openRows', i);
      const allowed = rows.map((row) => ask(i, row));
      if (rows.length > 0) await host.invoke(generation, 'allow', i, allowed);
    }
    const progress = await host.invoke(generation, 'advance', 0);
    yield progress;
    done = progress.done;
  }
}

/** @throws TransformerError `invalid_argument` unless the function gives ids, at least one. */
function allowedIds(allowed: AllowedTokens, place: number, row: number[]): number[] {
  const ids: unknown = allowed(place, row);
  if (!isIds(ids) || ids.length === 0)
    fail(
      'invalid_argument',
      `prefixAllowedTokens must return a list of token ids, at least one, got ${describe(ids)} for input ${place}`,
    );
  return Array.from(ids);
}

/** The inputs in the engine's terms: token ids or vectors for the encoder, and the decoder's prompts. */
function engineInput(inputs: readonly PullInput[]): Partial<GenerationInput> {
  const prompts = inputs.map(({ promptIds, padding, padId }) =>
    Int32Array.from([...new Array<number>(padding).fill(padId), ...promptIds]),
  );
  const decoder = { prompts, padding: Int32Array.from(inputs, ({ padding }) => padding) };
  const sourceIds: Int32Array[] = [];
  const sourceVectors: TensorData[] = [];
  const memories: TensorData[] = [];
  for (const input of inputs) {
    if ('memory' in input) memories.push(input.memory);
    else if (input.source instanceof Int32Array) sourceIds.push(input.source);
    else if (input.source) sourceVectors.push(input.source);
  }
  return {
    ...decoder,
    sources: sourceIds,
    ...(sourceVectors.length > 0 && { sourceVectors: stacked(sourceVectors) }),
    ...(memories.length > 0 && { memory: stacked(memories) }),
  };
}

/** Concatenates tensors [1, time, dModel] along the batch axis. */
function stacked(tensors: readonly TensorData[]): TensorData {
  const [, ...shape] = tensors[0]?.shape ?? [];
  const data = new Float32Array(tensors.reduce((sum, tensor) => sum + tensor.data.length, 0));
  let at = 0;
  for (const tensor of tensors) {
    data.set(tensor.data, at);
    at += tensor.data.length;
  }
  return { data, shape: [tensors.length, ...shape] };
}
