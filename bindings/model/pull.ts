/** Pulls tokens out of the engine. JavaScript asks for more, so between two requests it can stop asking. */

import type { GenerationInput, GenerationOptions, HeadFactor, Hypothesis } from '../engine/embind.js';
import type { TensorData } from '../engine/tensor.js';
import type { Input } from './inputs.js';
import type { Loaded } from './loaded.js';
import { nextTask } from './next_task.js';

/** How far a generation has come. */
export interface Progress {
  readonly done: boolean;
  /** For each input the generated tokens that its best result is sure to begin with. */
  readonly certain: readonly Int32Array[];
  /** For each input the results so far, best first. */
  results(): Promise<Hypothesis[][]>;
}

/** How a generation runs. */
export interface PullSettings {
  /** Of the text. */
  readonly settings: Partial<GenerationOptions>;
  readonly heads?: HeadFactor[] | undefined;
  readonly signal?: AbortSignal | undefined;
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
  { settings, heads = [], signal }: PullSettings,
): AsyncGenerator<Progress, void, void> {
  const { host, transformer } = model;
  signal?.throwIfAborted();
  const input = { ...engineInput(inputs), heads };
  const generation = await host.create('Generation', transformer, input, settings);
  try {
    for (;;) {
      await nextTask();
      signal?.throwIfAborted();
      model.checkAlive();
      const progress = await host.invoke(generation, 'advance', budget);
      yield { ...progress, results: () => host.invoke(generation, 'results') };
      if (progress.done) return;
    }
  } finally {
    await host.release(generation);
  }
}

/** The inputs as the engine takes them: token ids or vectors for the encoder, and what the decoder begins with. */
function engineInput(inputs: readonly Input[]): Partial<GenerationInput> {
  const prompts = inputs.map(({ prompt, padding, padId }) =>
    Int32Array.from([...new Array<number>(padding).fill(padId), ...prompt]),
  );
  const decoder = { prompts, padding: Int32Array.from(inputs, ({ padding }) => padding) };
  const ids: Int32Array[] = [];
  const vectors: TensorData[] = [];
  for (const { source } of inputs)
    if (source instanceof Int32Array) ids.push(source);
    else if (source) vectors.push(source);
  return { ...decoder, sources: ids, ...(vectors.length > 0 && { sourceVectors: stacked(vectors) }) };
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
