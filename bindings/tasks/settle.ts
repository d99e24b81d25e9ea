/** Runs batches of inputs of which some may fail. */

import { maxValues } from '../values/argument_reader.js';
import { cross } from '../values/border.js';
import { fail, messageOf, TransformerError } from '../values/errors.js';
import { integerFrom, type ReadersOf, readFields, toFunction, toSignal } from '../values/options.js';
import { describe } from '../values/tensor.js';

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

type Inputs<Input> = Iterable<Input> | AsyncIterable<Input>;
type Run<Input, Result> = (batch: Input[]) => Promise<BatchResults<Result>> | BatchResults<Result>;

const isFunction = (value: unknown): value is (...args: never[]) => unknown => typeof value === 'function';

const readers = {
  batchSize: integerFrom(1),
  onProgress: toFunction<NonNullable<SettleOptions['onProgress']>>,
  signal: toSignal,
} satisfies ReadersOf<SettleOptions>;

/** See `settleEach`. */
export async function* settle<Input, Result>(
  inputs: Inputs<Input>,
  run: Run<Input, Result>,
  given: SettleOptions,
): AsyncGenerator<Settled<Result>, void, void> {
  const { batchSize = 32, onProgress, signal } = cross('run options', [run, given], readArguments);
  const total = countOf(inputs);
  // An array of billions of holes would take for ever.
  if (total !== null && total > maxValues)
    fail('invalid_argument', `inputs hold more than ${maxValues} values`);
  let [done, failed] = [0, 0];
  for await (const batch of batchesOf(inputs, batchSize)) {
    signal?.throwIfAborted();
    const settled = await settledBatch(batch, run, done);
    signal?.throwIfAborted();
    done += batch.length;
    failed += settled.filter(({ status }) => status === 'rejected').length;
    onProgress?.({ done, failed, total });
    yield* settled;
  }
}

function readArguments(run: unknown, options: SettleOptions) {
  if (!isFunction(run)) fail('invalid_argument', `run must be a function, got ${describe(run)}`);
  return readFields(options, readers);
}

/** How many inputs there are; `null` if they only come one after the other. */
function countOf(inputs: unknown): number | null {
  try {
    if (Array.isArray(inputs)) return inputs.length;
    // A buffer that is detached cannot be read.
    if (ArrayBuffer.isView(inputs)) cross('inputs', [inputs as object], (read) => read);
    if (isIterable(inputs)) return null;
  } catch (error) {
    // Such as that of a proxy that was revoked.
    fail('invalid_argument', `inputs cannot be read: ${messageOf(error)}`, error);
  }
  return fail('invalid_argument', `inputs must be an array or another iterable, got ${describe(inputs)}`);
}

const isIterable = (value: unknown): value is Inputs<unknown> =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);

async function* batchesOf<Input>(inputs: Inputs<Input>, size: number): AsyncGenerator<Input[], void, void> {
  let batch: Input[] = [];
  for await (const input of inputs) {
    batch.push(input);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** @param first the place of the batch's first input */
async function settledBatch<Input, Result>(
  batch: readonly Input[],
  run: Run<Input, Result>,
  first: number,
): Promise<Settled<Result>[]> {
  try {
    const values = rowsOf(await run([...batch]), batch.length);
    return values.map((value, i) => ({ status: 'fulfilled', index: first + i, value }));
  } catch (reason) {
    if (isOfAll(reason)) throw reason;
    if (batch.length === 1) return [{ status: 'rejected', index: first, reason }];
    const single: Settled<Result>[] = [];
    for (const [i, input] of batch.entries()) single.push(...(await settledBatch([input], run, first + i)));
    return single;
  }
}

/** The caller's `run` is at fault, not an input. */
class WrongCount extends TransformerError {}

/** Whether no other input could succeed. */
const isOfAll = (reason: unknown) =>
  reason instanceof WrongCount ||
  (reason instanceof TransformerError && ['disposed', 'internal'].includes(reason.code)) ||
  (reason instanceof Error && reason.name === 'AbortError');

function rowsOf<Result>(results: BatchResults<Result>, count: number): readonly Result[] {
  const isTensor = typeof results === 'object' && results !== null && 'shape' in results;
  const rows = isTensor ? tensorRows(results) : results;
  if (Array.isArray(rows) && rows.length === count) return rows as readonly Result[];
  const found = Array.isArray(rows) ? `${rows.length}` : describe(results);
  throw new WrongCount(
    'invalid_argument',
    `run must return ${count} results, one for each input, got ${found}`,
  );
}

/** [inputs, ...] -> one array each; tensors of several axes keep their rows flat. */
function tensorRows({ data, shape }: { data: ArrayLike<number>; shape: readonly number[] }): unknown[] {
  const [count = 0] = shape;
  const size = data.length / (count || 1);
  const numbers = data as Float32Array;
  return Array.from({ length: count }, (_, row) => numbers.slice(row * size, (row + 1) * size));
}
