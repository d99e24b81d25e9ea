/** What a model that learns can do so far: what it writes, how much of it is right, and where it looks. */

import type { Trainer } from 'transformer-wasm/train';
import { largest } from '../../reading/largest.js';
import { batchOf, type Example, type Task } from './task.js';

export type Ids = readonly number[];

/** What it writes by itself, token by token, from no more than it was given and has written. */
export async function written(
  trainer: Trainer,
  task: Task,
  prompts: readonly Ids[],
  signal?: AbortSignal,
): Promise<Ids[]> {
  const start = Number(task.config.decoder_start_token_id ?? 0);
  const begins = prompts.map((prompt) => (task.hasEncoder ? [start] : [...prompt]));
  let rows = begins;
  for (let i = 0; i < task.longest; i++) {
    // Targets play no part in what comes next, but a model with an encoder asks for some.
    const batch = task.hasEncoder ? { source: prompts, inputs: rows, targets: rows } : { inputs: rows };
    const { logits } = await trainer.evaluate(batch, { logits: true, ...(signal && { signal }) });
    const {
      data,
      shape: [, count = 0],
    } = logits as NonNullable<typeof logits>;
    let end = 0;
    rows = rows.map((row) => {
      end += row.length;
      const [next = 0] = largest(data.subarray((end - 1) * count, end * count), 1);
      return [...row, next];
    });
  }
  return rows.map((row, i) => untilEnd(row.slice(begins[i]?.length), task.end));
}

function untilEnd(ids: Ids, end: number | null): Ids {
  const at = end === null ? -1 : ids.indexOf(end);
  return at < 0 ? ids : ids.slice(0, at + 1);
}

export const isRight = ({ answer }: Example, ids: Ids) => answer.join() === ids.join();

/** Where each place of an answer looks: a row for each token that is to be written. */
export interface Look {
  readonly heads: number;
  readonly rows: number;
  readonly columns: number;
  /** [heads, rows, columns] */
  readonly weights: Float32Array;
}

type Weights = { readonly data: ArrayLike<number>; readonly shape: readonly number[] };

/** The part of [1, heads, queries, keys] from a query on. */
function from({ data, shape: [, heads = 0, queries = 0, keys = 0] }: Weights, first: number) {
  const at = (head: number, row: number, key: number) =>
    data[(head * queries + first + row) * keys + key] ?? 0;
  return { heads, rows: queries - first, keys, at };
}

/** With an encoder, the columns are what was given, then what is written, and each row has both of its sums. */
export async function lookOf(
  trainer: Trainer,
  task: Task,
  example: Example,
  signal?: AbortSignal,
): Promise<Look> {
  const options = { attentions: true, ...(signal && { signal }) };
  const { attentions = {} } = await trainer.evaluate(batchOf(task, [example]), options);
  const first = task.hasEncoder ? 0 : example.prompt.length - 1;
  const parts = ['cross_attn', 'self_attn'].flatMap((name) => {
    const found = attentions[`decoder.layers.0.${name}`];
    return found ? [from(found, first)] : [];
  });
  const [{ heads, rows } = { heads: 0, rows: 0 }] = parts;
  // Between two attentions, a column of nothing.
  const columns = parts.reduce((sum, { keys }) => sum + keys, Math.max(0, parts.length - 1));
  const weights = new Float32Array(heads * rows * columns);
  for (let line = 0; line < heads * rows; line++) {
    let i = line * columns;
    for (const { keys, at } of parts) {
      for (let key = 0; key < keys; key++) weights[i++] = at(Math.floor(line / rows), line % rows, key);
      i++;
    }
  }
  return { heads, rows, columns, weights };
}

/** The mean of the largest weights that each row has among its first columns. */
export function largestOf({ heads, rows, columns, weights }: Look, first: number): number {
  const lines = Array.from({ length: heads * rows }, (_, line) => line * columns);
  const sum = lines.reduce((all, at) => all + Math.max(...weights.subarray(at, at + first)), 0);
  return sum / lines.length;
}

/** One head, or the mean of all. */
export function ofHead({ heads, rows, columns, weights }: Look, head: number | null): Float32Array {
  const size = rows * columns;
  if (head !== null) return weights.subarray(head * size, (head + 1) * size);
  const mean = new Float32Array(size);
  for (const [i, weight] of weights.entries()) mean[i % size] = (mean[i % size] ?? 0) + weight / heads;
  return mean;
}

/** The names of a map's rows and columns, and which cells are none: those that a mask hides, and those between two attentions. */
export function namesOf(
  { tokens, hasEncoder, config }: Task,
  { prompt, answer }: Example,
  { isMasked }: { isMasked: boolean },
) {
  const name = (id: number) => tokens[id] ?? '';
  const written = answer.slice(0, -1).map(name);
  const start = name(Number(config.decoder_start_token_id ?? 0));
  // What it has read and written when it writes the first token.
  const first = [...prompt.map(name), ...(hasEncoder ? ['', start] : [])];
  return {
    rowNames: answer.map(name),
    columnNames: [...first, ...written],
    isEmpty: (row: number, column: number) =>
      (hasEncoder && column === prompt.length) || (isMasked && column >= first.length + row),
  };
}
