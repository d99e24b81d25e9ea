/** Which part of a stored tensor becomes which tensor of the engine. */

import type { StridedView } from '../../engine/embind.js';

/** The shapes of tensors, by name. */
export type Shapes = ReadonlyMap<string, readonly number[]>;

/** A tensor of the engine, and where its numbers come from: rows (first axis) of a tensor of the source. */
export interface Slice {
  /** The engine's name. */
  readonly name: string;
  /** The source's name. */
  readonly from: string;
  readonly firstRow: number;
  /** `null`: all of them. */
  readonly rows: number | null;
  /** As the engine sees it: without PyTorch's axes of length one in `bias_k`. */
  readonly shape: readonly number[];
  /** For numbers that do not lie together: which elements of the source they are. */
  readonly view?: StridedView;
}
