/** Pulls tokens out of the engine. JavaScript asks for more, so between two requests it can stop asking. */

import type { TensorData } from '../engine/tensor.js';
import type { EngineGenerationOptions } from './engine_options.js';
import type { Input } from './inputs.js';
import type { Loaded } from './loaded.js';
import { nextTask } from './next_task.js';

/** A result as the engine gives it. */
export interface Hypothesis {
  readonly ids: Int32Array;
  readonly score: number;
  readonly tokenScores: Float32Array;
}

/** How far a generation has come. */
export interface Progress {
  readonly done: boolean;
  /** For each input the generated tokens that its best result is sure to begin with. */
  readonly certain: readonly Int32Array[];
  /** For each input the results so far, best first. */
  results(): Promise<Hypothesis[][]>;
}

/** Milliseconds of work between two looks at the signal. */
const budget = 10;

/**
 * Generates for several inputs at once and reports after every few tokens; leaving the loop early ends it.
 *
 * @throws TransformerError; the signal's reason.
 */
export async function* pull(
  model: Loaded,
  inputs: readonly Input[],
  options: EngineGenerationOptions,
  signal?: AbortSignal,
): AsyncGenerator<Progress, void, void> {
  const { host, transformer } = model;
  signal?.throwIfAborted();
  const generation = await host.create(transformer, 'generate', engineInput(inputs), options);
  try {
    for (;;) {
      await nextTask();
      signal?.throwIfAborted();
      model.checkAlive();
      const progress = await host.call<Omit<Progress, 'results'>>(generation, 'advance', budget);
      yield { ...progress, results: () => host.call(generation, 'results') };
      if (progress.done) return;
    }
  } finally {
    await host.release(generation);
  }
}

/** The inputs as the engine takes them: token ids or vectors for the encoder, and what the decoder begins with. */
function engineInput(inputs: readonly Input[]): object {
  const prompts = inputs.map(({ prompt, padding, padId }) =>
    Int32Array.from([...new Array<number>(padding).fill(padId), ...prompt]),
  );
  const decoder = { prompts, padding: Int32Array.from(inputs, ({ padding }) => padding) };
  const sources = inputs.flatMap(({ source }) => (source ? [source] : []));
  const ids = sources.filter((source) => source instanceof Int32Array);
  if (sources.length === 0) return decoder;
  return ids.length > 0
    ? { ...decoder, sources: ids }
    : { ...decoder, sourceVectors: stacked(sources as TensorData[]) };
}

/** Tensors [1, time, dModel] below each other. */
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
