/** Generation in which a function of the caller's says before each step which tokens may follow. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { ConstructorArgs } from '../engine/calls.js';
import { nextTask } from '../engine/next_task.js';
import type { GenerationProgress } from '../modules/embind.js';
import { fail } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import type { AllowedTokens } from './options.js';
import { isIds } from './settings/text_options.js';

/**
 * Asks before each step which ids the sequences may take: a request for each, in place of one for the whole generation.
 *
 * @param args of the generation
 * @param places of the generation's inputs among those of the caller
 */
export async function* steps(
  { host }: Loaded,
  args: ConstructorArgs<'Generation'>,
  allowed: AllowedTokens,
  places: readonly number[],
): AsyncGenerator<GenerationProgress, void, void> {
  const generation = await host.create('Generation', ...args);
  try {
    for (let done = false; !done; ) {
      await nextTask();
      for (const [i, place] of places.entries()) {
        const rows = await host.invoke(generation, 'openRows', i);
        const ids = rows.map((row) => allowedIds(allowed, place, row));
        if (rows.length > 0) await host.invoke(generation, 'allow', i, ids);
      }
      const progress = await host.invoke(generation, 'advance', 0, true);
      yield progress;
      done = progress.done;
    }
  } finally {
    await host.release(generation);
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
