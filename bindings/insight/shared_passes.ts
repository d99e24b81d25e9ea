/**
 * Passes of an encoder that several callers share: what is asked for while one runs is joined into the next. A sequence
 * has the same bits in any batch, and the engine spends no time on the padding between sequences of different lengths.
 */

import type { Loaded } from '../checkpoint/loaded.js';
import type { PassOutput, SentenceCall } from '../modules/embind.js';
import { onAbort } from '../values/aborts.js';
import type { TensorData } from '../values/tensor.js';
import type { StackInput } from './forward_inputs.js';

/** The input of an encoder, in token ids. */
export interface EncoderIds extends StackInput {
  readonly tokens: { readonly data: Int32Array; readonly shape: number[] };
}

/** What is wanted of a pass. */
export interface PassWishes {
  readonly skipPadding?: boolean | undefined;
  readonly skipLogits?: boolean | undefined;
  readonly sentence?: SentenceCall;
}

type Run = (model: Loaded, input: EncoderIds, wishes: PassWishes) => Promise<PassOutput>;

/** A caller's part of a pass. */
interface Part {
  readonly input: EncoderIds;
  readonly wishes: PassWishes;
  resolve(output: PassOutput): void;
  reject(error: unknown): void;
}

/** A product of more rows gains nothing, and results are padded to the longest sequence. */
const mostRows = 32;
const mostTokens = 4096;

const queues = new WeakMap<Loaded, Queue>();

/**
 * The part of `input` in a pass that it may share with others. Its padding must be skipped, or it must have none.
 *
 * @param run makes a pass; at most one at a time for a model
 * @throws what the caller's own part threw; an abort rejects at once with the signal's reason.
 */
export function sharedPass(
  model: Loaded,
  { input, wishes }: Pick<Part, 'input' | 'wishes'>,
  run: Run,
  signal?: AbortSignal,
): Promise<PassOutput> {
  const queue = queues.get(model) ?? new Queue(model, run);
  queues.set(model, queue);
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const part: Part = { input, wishes, resolve: settled(resolve), reject: settled(reject) };
    function settled<T>(settle: (value: T) => void): (value: T) => void {
      return (value) => {
        ignore();
        settle(value);
      };
    }
    const ignore = onAbort(signal, () => {
      queue.leave(part);
      part.reject(signal?.reason);
    });
    queue.join(part);
  });
}

class Queue {
  readonly #model: Loaded;
  readonly #run: Run;
  #waiting: Part[] = [];
  #isRunning = false;

  constructor(model: Loaded, run: Run) {
    this.#model = model;
    this.#run = run;
  }

  join(part: Part): void {
    this.#waiting.push(part);
    if (!this.#isRunning) void this.#runAll();
  }

  /** A part whose pass has begun is computed to its end. */
  leave(part: Part): void {
    this.#waiting = this.#waiting.filter((other) => other !== part);
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let group = this.#next(); group.length > 0; group = this.#next()) await this.#runGroup(group);
    this.#isRunning = false;
  }

  /** The one that has waited longest, and others that fit into its pass. */
  #next(): Part[] {
    const group: Part[] = [];
    let [rows, time] = [0, 0];
    for (const part of this.#waiting) {
      const [ownRows, ownTime] = sizeOf(part);
      const longest = Math.max(time, ownTime);
      const fits = rows + ownRows <= mostRows && (rows + ownRows) * longest <= mostTokens;
      if (group[0] && !(fits && areAlike(group[0].wishes, part.wishes))) continue;
      group.push(part);
      [rows, time] = [rows + ownRows, longest];
    }
    this.#waiting = this.#waiting.filter((part) => !group.includes(part));
    return group;
  }

  async #runGroup(group: readonly Part[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    try {
      if (group.length === 1) first.resolve(await this.#run(this.#model, first.input, first.wishes));
      else share(group, await this.#run(this.#model, joined(group), { ...first.wishes, skipPadding: true }));
    } catch (error) {
      if (group.length === 1) first.reject(error);
      // It may be the fault of one of them: each has its own error or none.
      else for (const part of group) await this.#runGroup([part]);
    }
  }
}

/** Whether one pass can give both what they want. */
const areAlike = (one: PassWishes, other: PassWishes) =>
  one.skipLogits === other.skipLogits && JSON.stringify(one.sentence) === JSON.stringify(other.sentence);

function sizeOf({ input }: Part): [rows: number, time: number] {
  const [rows = 0, time = 0] = input.tokens.shape;
  return [rows, time];
}

/** The rows of all of them, one below the other, padded at their ends. */
function joined(group: readonly Part[]): EncoderIds {
  const time = Math.max(...group.map((part) => sizeOf(part)[1]));
  const rows = group.reduce((sum, part) => sum + sizeOf(part)[0], 0);
  const shape = [rows, time];
  const tokens = new Int32Array(rows * time);
  const mask = new Float32Array(rows * time);
  const types = group.some(({ input }) => input.types) ? new Int32Array(rows * time) : undefined;
  let at = 0;
  for (const part of group) {
    const { input } = part;
    const [ownRows, ownTime] = sizeOf(part);
    for (let row = 0; row < ownRows; row++, at += time) {
      const from = row * ownTime;
      const end = from + ownTime;
      tokens.set(input.tokens.data.subarray(from, end), at);
      if (input.mask) mask.set(input.mask.data.subarray(from, end), at);
      else mask.fill(1, at, at + ownTime);
      if (input.types) types?.set(input.types.data.subarray(from, end), at);
    }
  }
  return {
    tokens: { data: tokens, shape },
    batch: rows,
    mask: { data: mask, shape },
    types: types && { data: types, shape },
    shifts: null,
  };
}

/** Gives each its rows of the results. */
function share(group: readonly Part[], output: PassOutput): void {
  let first = 0;
  for (const part of group) {
    const [rows, time] = sizeOf(part);
    const own = (tensor: TensorData | undefined) => tensor && rowsOf(tensor, first, rows, time);
    part.resolve({
      ...output,
      output: own(output.output),
      logits: own(output.logits),
      poolerOutput: own(output.poolerOutput),
      embeds: own(output.embeds),
    });
    first += rows;
  }
}

/** Rows of a tensor [batch, width], or of [batch, time, width] without the padding to the longest. */
function rowsOf({ data, shape }: TensorData, first: number, rows: number, time: number): TensorData {
  const width = shape.at(-1) ?? 0;
  const isPerToken = shape.length === 3;
  const [stride, kept] = isPerToken ? [(shape[1] ?? 0) * width, time * width] : [width, width];
  const part = new Float32Array(rows * kept);
  for (let row = 0; row < rows; row++) {
    const from = (first + row) * stride;
    part.set(data.subarray(from, from + kept), row * kept);
  }
  return { data: part, shape: isPerToken ? [rows, time, width] : [rows, width] };
}
