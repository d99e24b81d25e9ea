/** Selects the tensors of a checkpoint to quantise: the matrices of linear layers and token embeddings. */

import type { Plan } from '../plans/family.js';
import { type Channels, channelsOf } from '../weights/quantized_matrix.js';
import type { Slice } from '../weights/slices.js';
import type { StoredTensor } from '../weights/stored_tensor.js';

/** Engine names of linear layers and token embeddings, the same for all families, and those of recurrent models. */
const matrix = new RegExp(
  [
    String.raw`(^|\.)([qkv]_proj|out_proj|pos_(key|query)_proj|fc1|fc2|gate|dense|classifier)\.weight$`,
    String.raw`(^|\.)(embedding|((embedding|memory)_)?projection)\.weight$`,
    String.raw`(^|\.)(attention\.W[shp]?|bridge|readout)\.weight$`,
    String.raw`\.(gru|lstm)\.weight_[ih]h_l\d+(_reverse)?$`,
  ].join('|'),
);

/**
 * The output channels of a stored tensor; `null` for one that is not quantised: norms, biases, positions, token types,
 * the front end of an encoder, and a tensor that is only partly a matrix.
 */
export function channelsOfMatrix({ name, shape }: StoredTensor, { slices }: Plan): Channels | null {
  const own = slices.filter(({ from }) => from === name);
  const isMatrix = (slice: Slice) => matrix.test(slice.name) && slice.shape.length === 2;
  if (shape.length !== 2 || own.length === 0 || !own.every(isMatrix)) return null;
  return channelsOf(shape, own.every(isTransposed) ? 1 : 0);
}

/** Whether the engine's rows, which are its output channels, are columns in the file. */
function isTransposed({ view }: Slice): boolean {
  return view !== undefined && view.strides.at(-1) !== 1;
}
