/** Attention weights as an SVG picture. The code that draws is loaded with the first picture. */

import { cross } from '../values/border.js';
import type { AttentionChoice, AttentionPicture, WithAttentions } from './attention_map.js';

/**
 * A self-contained picture with title, names of the axes and legend, of what `translate` or `generate` returned with
 * `outputAttentions`, or of any matrix of weights with its labels. The shade of a cell is the square root of its
 * weight, so that a weight of 5 % can be distinguished from none.
 *
 * @param result a result, or one sentence of a translation; or the matrix: `{ title, queries, keys, weights }`
 * @param choice which attention, layer and head of a result; default: the mean of the last layer's heads
 * @returns an SVG document, which scales to any size; each cell has a tooltip
 * @throws TransformerError `invalid_argument` if a result has no such weights, or a matrix is not [queries, keys].
 * @example
 * const translation = await model.translate('The cat sat on the mat.', { outputAttentions: true });
 * const svg = await attentionSvg(translation, { kind: 'cross', layer: 1, head: 0 });
 */
export async function attentionSvg(
  result: WithAttentions | AttentionPicture,
  choice: AttentionChoice = {},
): Promise<string> {
  const { draw } = await import('./draw_attention.js');
  return cross('result options', [result, choice], draw);
}
