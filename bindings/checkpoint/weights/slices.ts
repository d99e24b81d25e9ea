/** Which part of a stored tensor becomes which tensor of the engine. */

import type { StridedView } from '../../engine/embind.js';

/** The tensors that there are: name to shape. */
export type Shapes = ReadonlyMap<string, readonly number[]>;

/** One tensor of the engine, and where its numbers are: some rows (first axis) of a tensor of the source. */
export interface Slice {
  /** The engine's name. */
  readonly name: string;
  /** The source's name. */
  readonly from: string;
  readonly firstRow: number;
  /** `null`: all of them. */
  readonly rows: number | null;
  /** What the engine is to be told: the shape of the slice, without PyTorch's axes of length one in `bias_k`. */
  readonly shape: readonly number[];
  /** For numbers that do not lie together: which of the source's elements these are. */
  readonly view?: StridedView;
}
