/** Maps parts of stored tensors to the engine's tensors. */

import type { MethodArgs } from '../engine/calls.js';
import type { StridedView } from '../modules/embind.js';

/**
 * What the engine's matrix is for: a factor of products, as in a linear layer; token embeddings, which may also be the
 * output projection; or a table whose rows are added, such as learned positions.
 */
export type MatrixPurpose = MethodArgs<'Weights', 'declare'>[3];

/** The stored tensors: name to shape. */
export type Shapes = ReadonlyMap<string, readonly number[]>;

/** One engine tensor, and where its numbers come from: a range of rows (first axis) of a stored tensor. */
export interface Slice {
  /** The engine's name. */
  readonly name: string;
  /** The stored tensor's name. */
  readonly from: string;
  readonly firstRow: number;
  /** Number of rows; `null`: all. */
  readonly rows: number | null;
  /** Shape of the engine tensor, without the axes of length 1 that PyTorch has in `bias_k`. */
  readonly shape: readonly number[];
  /** For two axes; default: a factor. */
  readonly purpose?: MatrixPurpose;
  /** Is added to each number: Gemma stores the weights of its norms minus 1. */
  readonly added?: number;
  /** The engine's name of a tensor: this one is left out if both hold the same numbers. */
  readonly unlessSameAs?: string;
  /** For numbers that are not contiguous: which elements of the stored tensor they are. */
  readonly view?: StridedView;
}

export const purposeOf = ({ purpose = 'factor' }: Pick<Slice, 'purpose'>): MatrixPurpose => purpose;
