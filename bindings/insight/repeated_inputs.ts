/** One sequence as the rows of a batch, each of which an experiment changes in its own way. */

import type { Loaded } from '../checkpoint/loaded.js';
import { fail } from '../values/errors.js';
import { toObject } from '../values/options.js';
import { toIds } from '../values/tensor.js';
import type { Edit } from './edits.js';
import { forward } from './forward.js';
import type { ForwardInputs } from './forward_inputs.js';
import type { ForwardOutput } from './forward_output.js';

/** Token ids of one sequence, each [1, time]. */
export type OneSequence = Pick<ForwardInputs, 'inputIds' | 'decoderInputIds' | 'tokenTypeIds'>;

/** Inputs that an experiment can repeat: they have an id for each token. */
const repeated: readonly string[] = [
  'inputIds',
  'decoderInputIds',
  'tokenTypeIds',
] satisfies (keyof OneSequence)[];

/** The same as lists. */
export type ReadSequence = { readonly [name in keyof OneSequence]?: readonly (readonly number[])[] };

/** How a long experiment reports and ends. */
export interface ExperimentOptions {
  /** Called after each pass, with the rows that are done. */
  onProgress?: (progress: { done: number; total: number }) => void;
  /** An abort between two passes rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** Of a pass over `rows` sequences: what its edits are, and what is read from it. */
export interface Experiment<Row, Result> extends ExperimentOptions {
  readonly rows: readonly Row[];
  readonly trace?: string[];
  readonly skipLogits?: boolean;
  /** Floats that a row takes, to bound a pass. */
  readonly rowSize: number;
  editsOf(rows: readonly Row[]): Edit[];
  read(output: ForwardOutput, rows: readonly Row[]): Result | Promise<Result>;
}

/** 32 MB of logits or of activations at once. */
const maxFloats = 2 ** 23;
const maxRows = 64;

/** @throws TransformerError `invalid_argument` for anything but one sequence without padding. */
export function readSequence(inputs: unknown, name = 'inputs'): ReadSequence {
  const sequence: Record<string, number[][]> = {};
  for (const [key, value] of Object.entries(toObject(inputs, name))) {
    if (value === undefined) continue;
    if (!repeated.includes(key))
      fail('invalid_argument', `${name}.${key}: an experiment takes only ${repeated.join(', ')}`);
    const { data, shape } = toIds(value, `${name}.${key}`);
    const [batch, time] = shape;
    if (shape.length !== 2 || batch !== 1 || !time)
      fail('invalid_argument', `${name}.${key} must be one sequence [1, time], got [${shape.join(', ')}]`);
    sequence[key] = [Array.from(data)];
  }
  return sequence;
}

/** Runs all rows, as many at once as fit, and gives the results of each pass. */
export async function runRows<Row, Result>(
  model: Loaded,
  sequence: ReadSequence,
  experiment: Experiment<Row, Result>,
): Promise<Result[]> {
  const { rows, trace, skipLogits, rowSize, onProgress, signal } = experiment;
  const atOnce = Math.max(1, Math.min(maxRows, Math.floor(maxFloats / rowSize)));
  const results: Result[] = [];
  for (let first = 0; first < rows.length; first += atOnce) {
    signal?.throwIfAborted();
    model.checkAlive();
    const some = rows.slice(first, first + atOnce);
    const inputs = Object.fromEntries(
      Object.entries(sequence).map(([name, [ids]]) => [name, some.map(() => ids)]),
    );
    const edits = experiment.editsOf(some);
    const output = await forward(model, inputs, {
      edits,
      ...(trace && { trace }),
      ...(skipLogits && { skipLogits }),
    });
    results.push(await experiment.read(output, some));
    onProgress?.({ done: first + some.length, total: rows.length });
  }
  signal?.throwIfAborted();
  return results;
}
