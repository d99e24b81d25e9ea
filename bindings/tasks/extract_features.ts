/** Feature extraction: the vectors of all tokens of texts. */

import type { Loaded } from '../checkpoint/loaded.js';
import { Tensor } from '../values/tensor.js';
import { checkText, cut, inOrder, requireEncoder, roomOf, rowReader, runRows } from './batch_encoder.js';

/**
 * [texts, time, width]; zeros after the end of shorter texts.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`; the signal's reason.
 */
export async function extractFeatures(
  model: Loaded,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Tensor> {
  const tokenizer = requireEncoder(model, 'extract features', 'all');
  const read = rowReader(tokenizer, signal);
  const rows = await inOrder(texts, async (text) =>
    cut(await read(checkText(text, 'the text')), roomOf(model)),
  );
  const time = Math.max(0, ...rows.map(({ ids }) => ids.length));
  let data = new Float32Array();
  let width = 0;
  let i = 0;
  for await (const { row, vector } of runRows(model, rows, 'lastHiddenState', signal)) {
    width ||= vector(0).length;
    if (data.length === 0) data = new Float32Array(rows.length * time * width);
    for (let token = 0; token < row.ids.length; token++) data.set(vector(token), (i * time + token) * width);
    i++;
  }
  return new Tensor(data, [rows.length, time, width]);
}
