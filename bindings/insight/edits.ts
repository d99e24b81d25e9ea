/** Changes of inner tensors: what a caller writes, in the engine's terms. */

import type { Edit as EngineEdit } from '../modules/embind.js';
import { fail } from '../values/errors.js';
import { checkNames, type Reader, toObject } from '../values/options.js';
import { describe, isIndex, type Tensor, type TensorLike, toTensor } from '../values/tensor.js';

/**
 * A change of an inner tensor, where it is computed: everything after it follows from what it became. One of `set`,
 * `add`, `scale` and `from` is given.
 */
export interface Edit {
  /**
   * A path as in `trace`, in which `*` matches any name. Of attention, `scores` and `weights` are [batch, heads,
   * queries, keys]; everything else is [batch, time, width]. Editing scores computes their weights anew. `logits` of
   * layers, and SSRU cells, can only be read.
   */
  at: string;
  /** Sequences of the batch; default: all. Only of a pass, not of a generation. */
  rows?: readonly number[];
  /** Tokens, from 0 on, those of the prompt included; of scores and weights, the queries. Default: all. */
  positions?: readonly number[];
  /** Heads of queries, scores and weights; of keys and values, their own. Default: all. */
  heads?: readonly number[];
  /**
   * A number, or a tensor that is broadcast to the chosen part: axes are aligned at the end, and one of size 1 repeats.
   * An axis of rows, heads or tokens is as long as the list of chosen ones, or as the tensor's.
   */
  set?: number | TensorLike;
  /** The same, added to what was computed. */
  add?: number | TensorLike;
  /** The same, multiplied by what was computed. */
  scale?: number | TensorLike;
  /**
   * The result of another pass or generation with `trace`, or its `trace`: what it had under the same path (activation
   * patching).
   */
  from?: { readonly trace?: Readonly<Record<string, Tensor>> | undefined } | Readonly<Record<string, Tensor>>;
}

const kinds = ['set', 'add', 'scale'] as const;

const indices = (value: unknown, name: string): Int32Array => {
  if (value === undefined) return new Int32Array(0);
  if (Array.isArray(value) && value.length > 0 && value.every(isIndex)) return Int32Array.from(value);
  return fail(
    'invalid_argument',
    `${name} must be a list of whole numbers from 0 on, got ${describe(value)}`,
  );
};

/** @throws TransformerError `invalid_argument`; the engine knows which paths, heads and positions exist. */
export const toEdits: Reader<EngineEdit[]> = (value, name) => {
  if (!Array.isArray(value))
    fail('invalid_argument', `${name} must be a list of edits, got ${describe(value)}`);
  return value.flatMap((edit, i) => toEdit(edit, `${name}[${i}]`));
};

/** Those of a generation: each of its results is a row. */
export const toStepEdits: Reader<EngineEdit[]> = (value, name) =>
  toEdits(value, name).map((edit, i) =>
    edit.rows.length === 0
      ? { ...edit, inSteps: true }
      : fail('invalid_argument', `${name}[${i}].rows: the sequences of a generation cannot be told apart`),
  );

function toEdit(value: unknown, name: string): EngineEdit[] {
  const given = toObject(value, name);
  checkNames(given, ['at', 'rows', 'positions', 'heads', ...kinds, 'from'], name);
  const { at, from } = given;
  if (typeof at !== 'string' || at === '')
    fail('invalid_argument', `${name}.at must be a path, got ${describe(at)}`);
  const where = {
    rows: indices(given.rows, `${name}.rows`),
    positions: indices(given.positions, `${name}.positions`),
    heads: indices(given.heads, `${name}.heads`),
    inSteps: false,
  };
  const [kind, ...others] = kinds.filter((one) => given[one] !== undefined);
  if ((kind === undefined) === (from === undefined) || others.length > 0)
    fail('invalid_argument', `${name} must have one of set, add, scale and from`);
  if (kind === undefined)
    return tracedAt(from, at, `${name}.from`).map(([path, values]) => ({
      ...where,
      at: path,
      kind: 'set',
      values,
    }));
  const values = given[kind];
  return [
    {
      ...where,
      at,
      kind,
      values: toTensor(typeof values === 'number' ? [values] : values, `${name}.${kind}`),
    },
  ];
}

/** What another run has at the paths that a pattern matches. */
function tracedAt(from: unknown, at: string, name: string) {
  const run = toObject(from, name);
  const trace = toObject(run.trace ?? run, `${name}.trace`);
  const parts = at.split('.');
  const found = Object.entries(trace).filter(([path]) => {
    const names = path.split('.');
    return names.length === parts.length && parts.every((part, i) => part === '*' || part === names[i]);
  });
  if (found.length === 0)
    fail(
      'invalid_argument',
      `${name} has no '${at}' in its trace: it has ${Object.keys(trace).join(', ') || 'nothing'}`,
    );
  return found.map(([path, values]) => [path, toTensor(values, `${name}['${path}']`)] as const);
}
