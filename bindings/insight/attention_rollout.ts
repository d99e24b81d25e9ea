/**
 * Attention rollout: how much each input position contributes to each position after all layers of an encoder. The code
 * that computes it is loaded with the first call.
 */

import { cross } from '../values/border.js';
import type { Tensor, TensorLike } from '../values/tensor.js';

/**
 * Attention rollout: rollout_0 = I, rollout_l = normalise(mean over heads of A_l + I) rollout_(l - 1), with rows that
 * sum to one; the identity represents the residual connection (Abnar and Zuidema 2020, section 3). For a ViT, row 0
 * shows how much the class vector draws on each patch. It approximates how information can flow, not what the model
 * does with it: values and feed-forward layers are ignored.
 * @param attentions the attention weights of each layer, [batch, heads, time, time], first layer first, as `forward`
 *   returns them in `attentions` or `encoderAttentions` with `outputAttentions`. The batch axis is optional.
 * @returns [batch, time, time], with a row for each position after the last layer, a column for each input position
 * @throws TransformerError `invalid_argument` if there are no layers, if their shapes differ, if there are not as many
 *   queries as keys (cross-attention), or if a value is not an attention weight (finite and >= 0)
 */
export async function attentionRollout(attentions: readonly TensorLike[]): Promise<Tensor> {
  return cross('attentions', [attentions], async (read) => (await import('./rollout.js')).rollout(read));
}
