/** Attention weights as an SVG picture, for files and for pages. The code that draws is loaded with the first picture. */

import { cross } from '../values/border.js';
import type { AttentionPicture } from './draw_attention.js';

/**
 * A self-contained picture with title, names of the axes and legend. The shade of a cell is the square root of its
 * weight, so that a weight of 5 % can be distinguished from none.
 *
 * @returns an SVG document, which scales to any size; each cell has a tooltip
 * @throws TransformerError `invalid_argument` if the weights are not [queries, keys].
 * @example
 * const { axes, crossAttentions } = await model.translate(text, { outputAttentions: true, split: false });
 * const [, heads, queries, keys] = crossAttentions[1].shape;
 * const weights = new Tensor(crossAttentions[1].data.subarray(0, queries * keys), [queries, keys]);
 * const svg = await attentionSvg({ title: 'Layer 2, head 1', queries: axes.written, keys: axes.source, weights });
 */
export async function attentionSvg(picture: AttentionPicture): Promise<string> {
  const { drawAttention } = await import('./draw_attention.js');
  return cross('picture', [picture], drawAttention);
}
