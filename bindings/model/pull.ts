/** Pulls tokens out of the engine. JavaScript asks for more, so between two requests it can stop asking. */

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
  const sources = inputs.flatMap(({ source }) => (source ? [source] : []));
  const prompts = inputs.map(({ prompt }) => prompt);
  const generation = await host.create(
    transformer,
    'generate',
    sources.length > 0 ? { sources, prompts } : { prompts },
    options,
  );
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
