/** Where the files of the module for training are. */

import { moduleIn, ownWorkerInNode, type VariantFiles } from '../modules/addresses.js';
import { isNode } from '../modules/is_node.js';

/**
 * In the folder, if one is given. This file is loaded by `import()`, so that it is a file of its own in `dist/chunks`,
 * whatever imports it.
 */
export function trainingFiles(folder: string | undefined): VariantFiles {
  if (folder !== undefined || isNode)
    return moduleIn(folder ?? new URL('.', ownWorkerInNode()).href, 'train');
  // Two literals, because bundlers look for them.
  return {
    module: new URL('../wasm/transformer-train.mjs', import.meta.url).href,
    wasm: new URL('../wasm/transformer-train.wasm', import.meta.url).href,
  };
}
