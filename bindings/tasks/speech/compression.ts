/** How far text repeats itself, measured by zlib: a model that is stuck writes the same words over and over. */

import { isNode } from '../../modules/is_node.js';

/**
 * The length of token ids as bytes, divided by their length when compressed.
 *
 * @param vocabulary number of tokens: an id takes as many bytes as the greatest
 */
export async function compressionRatio(ids: readonly number[], vocabulary: number): Promise<number> {
  const width = Math.floor(Math.log2(vocabulary) / 8) + 1;
  const bytes = new Uint8Array(ids.length * width);
  for (const [i, id] of ids.entries())
    for (let byte = 0; byte < width; byte++) bytes[i * width + byte] = Math.floor(id / 256 ** byte) % 256;
  return bytes.length / (await deflatedLength(bytes));
}

async function deflatedLength(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  if (isNode) return globalThis.process.getBuiltinModule('node:zlib').deflateSync(bytes).length;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return (await new Response(stream).arrayBuffer()).byteLength;
}
