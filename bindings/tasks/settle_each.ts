/** Many inputs, of which some may fail. The code is loaded with the first call. */

/** What became of an input: as `Promise.allSettled` says it, with its place. */
export type Settled<Result> =
  | { readonly status: 'fulfilled'; readonly index: number; readonly value: Result }
  | { readonly status: 'rejected'; readonly index: number; readonly reason: unknown };

/** How far a run over many inputs is. */
export interface SettleProgress {
  done: number;
  failed: number;
  /** `null` where the inputs are no array, so that nobody knows how many will come. */
  total: number | null;
}

/** How `settleEach` runs. */
export interface SettleOptions {
  /** Inputs of a call. Default: 32. */
  batchSize?: number;
  /** Called after each batch. */
  onProgress?: (progress: SettleProgress) => void;
  /** Ends the run with the signal's reason; pass it to the calls too to end one that runs. */
  signal?: AbortSignal;
}

/** A result for each input of a batch: a list, or a tensor whose first axis is that of the inputs. */
export type BatchResults<Result> =
  | readonly Result[]
  | { readonly data: ArrayLike<number>; readonly shape: readonly number[] };

/**
 * Runs a call over any number of inputs, batch by batch, and yields what became of each, in order: one input that fails
 * costs no other one its result. Where a batch fails, its inputs run one by one to find those that are to blame. Inputs are
 * taken as they are needed, so that an endless iterable takes no more memory than a batch.
 *
 * @param run gets an array of inputs, and returns as many results
 * @throws TransformerError `invalid_argument`; `disposed` and `internal`, after which no input can succeed; the signal's
 *   reason; what the inputs throw.
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
