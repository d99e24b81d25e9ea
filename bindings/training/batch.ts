/** Batches: rows of token ids, of any lengths, one after the other. */

import { fail } from '../values/errors.js';
import { checkNames, toObject } from '../values/options.js';
import { describe } from '../values/tensor.js';
import type { TokenBatch, TokenRows } from './embind.js';
import type { TrainingPlan } from './plan.js';

/** Token ids: one array for each sequence, all of them of any length. */
export type TokenIds = ArrayLike<ArrayLike<number>>;

/** What a step learns from. Sequences need no padding. */
export interface TrainingBatch {
  /** The input of the encoder, of a model with both stacks. */
  source?: TokenIds;
  /**
   * The input of the decoder, or of the only stack. Default for a model with both: the targets, shifted by one place,
   * after `decoder_start_token_id`.
   */
  inputs?: TokenIds;
  /**
   * The token that each token of `inputs` is to predict; -100 and other negative numbers do not count. Default for a
   * decoder alone: the next token of `inputs`.
   */
  targets?: TokenIds;
}

/** A target that does not count, as in PyTorch. */
const ignored = -100;

/** @throws TransformerError `invalid_argument` */
export function readBatch(batch: unknown, { hasBoth, decoderStart, model }: TrainingPlan): TokenBatch {
  const given = toObject(batch, 'batch');
  checkNames(given, ['source', 'inputs', 'targets'], 'batch');
  const rowsOf = (name: string) => (given[name] === undefined ? undefined : toRows(given[name], name));
  const source = rowsOf('source');
  if (hasBoth !== (source !== undefined))
    fail(
      'invalid_argument',
      hasBoth ? 'batch.source is missing' : 'this model has one stack and takes no batch.source',
    );
  const inputs = rowsOf('inputs') ?? shifted(rowsOf('targets'), hasBoth ? decoderStart : null);
  const isDecoder = !hasBoth && (model.decoder?.numLayers ?? 0) > 0;
  const targets =
    rowsOf('targets') ??
    (isDecoder ? inputs.map(next) : fail('invalid_argument', 'batch.targets is missing'));
  const wrong = inputs.findIndex((row, i) => row.length !== targets[i]?.length);
  if (wrong >= 0 || inputs.length !== targets.length)
    fail(
      'invalid_argument',
      `batch.targets must have a target for each token of inputs; sequence ${Math.max(wrong, 0)} has not`,
    );
  return { source: joined(source ?? []), inputs: joined(inputs), targets: joined(targets).ids };
}

const next = (row: Int32Array) => Int32Array.from(row, (_, i) => row[i + 1] ?? ignored);

function shifted(targets: Int32Array[] | undefined, first: number | null): Int32Array[] {
  if (!targets) fail('invalid_argument', 'batch.inputs is missing');
  if (first === null)
    fail(
      'invalid_argument',
      'batch.inputs is missing, and config.json has no decoder_start_token_id to begin them with',
    );
  if (targets.some((row) => row.slice(0, -1).some((id) => id < 0)))
    fail(
      'invalid_argument',
      'batch.inputs is missing, and targets that do not count cannot take their place',
    );
  return targets.map((row) => Int32Array.from(row, (_, i) => (i === 0 ? first : (row[i - 1] ?? 0))));
}

function toRows(value: unknown, name: string): Int32Array[] {
  const isList = (one: unknown): one is ArrayLike<unknown> =>
    Array.isArray(one) || (ArrayBuffer.isView(one) && 'length' in one);
  if (!isList(value))
    fail('invalid_argument', `batch.${name} must be an array of sequences, got ${describe(value)}`);
  return Array.from(value, (row, i) => {
    if (!isList(row))
      fail('invalid_argument', `batch.${name}[${i}] must be an array of token ids, got ${describe(row)}`);
    return Int32Array.from(Array.from(row), (id, j) =>
      Number.isInteger(id) && Math.abs(Number(id)) < 2 ** 31
        ? Number(id)
        : fail('invalid_argument', `batch.${name}[${i}][${j}] must be a token id, got ${describe(id)}`),
    );
  });
}

function joined(rows: readonly Int32Array[]): TokenRows {
  const offsets = new Int32Array(rows.length + 1);
  for (const [i, row] of rows.entries()) offsets[i + 1] = (offsets[i] ?? 0) + row.length;
  const ids = new Int32Array(offsets.at(-1) ?? 0);
  for (const [i, row] of rows.entries()) ids.set(row, offsets[i]);
  return { ids, offsets };
}
