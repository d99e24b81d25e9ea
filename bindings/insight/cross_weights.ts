/** The cross-attention weights of one layer, without all else that a pass can give. */

import type { Loaded } from '../checkpoint/loaded.js';
import { layersIn } from '../plans/model_shape.js';
import type { Tensor } from '../values/tensor.js';
import { runForward } from './forward.js';
import type { ForwardInputs } from './forward_inputs.js';
import { type ReadForwardOptions, readForwardOptions } from './forward_options.js';

/** @returns [batch, heads, target, source]; absent if the decoder does not have that layer */
export async function crossWeights(
  model: Loaded,
  inputs: ForwardInputs,
  { layer, heads, edits }: Pick<ReadForwardOptions, 'heads' | 'edits'> & { readonly layer: number },
): Promise<Tensor | undefined> {
  const { plan } = model;
  if (layer >= layersIn(plan, 'decoder')) return undefined;
  // A recurrent decoder has its only attention beside its layers.
  const wanted =
    'recurrent' in plan.model
      ? { outputAttentions: true }
      : { trace: [`decoder.layers.${layer}.cross.weights`], skipLogits: true };
  const options = { ...readForwardOptions(wanted), heads, edits };
  const { trace, crossAttentions } = await runForward(model, inputs, options);
  return trace ? Object.values(trace)[0] : crossAttentions?.at(-1);
}
