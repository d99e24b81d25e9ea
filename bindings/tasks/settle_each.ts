/** Many inputs, of which some may fail. The code is loaded with the first call. */

import type { BatchResults, Settled, SettleOptions } from './settle.js';

export type { BatchResults, Settled, SettleOptions, SettleProgress } from './settle.js';

/**
 * Runs a call over any number of inputs, batch by batch, and yields what became of each, in order: one input that fails
 * costs no other one its result. Where a batch fails, its inputs run one by one to find those that are to blame. Inputs
 * are taken as they are needed, so that an endless iterable takes no more memory than a batch.
 *
 * @param run gets an array of inputs, and returns as many results
 * @throws TransformerError `invalid_argument`; `disposed` and `internal`, after which no input can succeed; the
 *   signal's reason; what the inputs throw.
 * @example
 * for await (const { index, status, value, reason } of settleEach(cells, (some) => model.classify(some)))
 *   console.log(index, status === 'fulfilled' ? value[0].label : reason.message);
 */
export async function* settleEach<Input, Result>(
  inputs: Iterable<Input> | AsyncIterable<Input>,
  run: (batch: Input[]) => Promise<BatchResults<Result>> | BatchResults<Result>,
  options: SettleOptions = {},
): AsyncGenerator<Settled<Result>, void, void> {
  const { settle } = await import('./settle.js');
  yield* settle(inputs, run, options);
}
