/** Pulls tokens out of the engine: between two requests, the caller can abort. */

import type { GenerationInput, GenerationOptions, HeadFactor, Hypothesis } from '../engine/embind.js';
import type { TensorData } from '../engine/tensor.js';
import type { Input, Source } from './inputs.js';
import type { Loaded, LoadedModel } from './loaded.js';
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
  /** A smaller model that guesses what follows. */
  readonly assistantModel?: LoadedModel | undefined;
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
  { settings, heads = [], signal, prefixAllowedTokens: allowed, assistantModel, places = [] }: PullSettings,
): AsyncGenerator<Progress, void, void> {
  const { host, transformer } = model;
  signal?.throwIfAborted();
  const input = { ...engineInput(inputs), heads };
  const generation = await host.create('Generation', transformer, input, settings);
  try {
    if (assistantModel)
      await (await import('./assistant.js')).assist(model, generation, assistantModel, input.sources ?? []);
    const progresses = allowed
      ? (await import('./allowed_tokens.js')).steps(
          model,
          generation,
          allowed,
          inputs.map((_, i) => places[i] ?? i),
        )
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
