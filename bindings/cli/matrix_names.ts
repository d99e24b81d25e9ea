/** Which tensors of a checkpoint are matrices that the engine multiplies with or looks tokens up in. */

import type { Plan } from '../checkpoint/families/family.js';
import type { Slice } from '../checkpoint/weights/slices.js';
import type { StoredTensor } from '../checkpoint/weights/stored_tensor.js';
import { type Channels, channelsOf } from './quantized_matrix.js';

/** The engine's own names of linear layers and of token embeddings, whatever a family calls them. */
const matrix = /(^|\.)([qkv]_proj|out_proj|fc1|fc2|gate|embedding|projection|dense|classifier)\.weight$/;

/**
 * The output channels of a stored tensor; `null` of one that stays as it is: norms, biases, positions, token types, what
 * stands in front of an encoder, and a tensor of which a part is none of the above.
 */
export function channelsOfMatrix({ name, shape }: StoredTensor, { slices }: Plan): Channels | null {
  const own = slices.filter(({ from }) => from === name);
  const isMatrix = (slice: Slice) => matrix.test(slice.name) && slice.shape.length === 2;
  if (shape.length !== 2 || own.length === 0 || !own.every(isMatrix)) return null;
  return channelsOf(shape, own.every(isTransposed) ? 1 : 0);
}

/** Whether the engine's rows, which are its output channels, are the file's columns. */
function isTransposed({ view }: Slice): boolean {
  return view !== undefined && view.strides.at(-1) !== 1;
}
