/** Opens the checkpoint that is to be quantised. */

import type { Folder } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import { openFolder } from '../files/open_folder.js';
import { requireJson } from '../files/read_json.js';
import { fail } from '../values/errors.js';
import { openWeights } from '../weights/open_weights.js';
import { isQuantized } from '../weights/quantization.js';
import type { WeightFiles } from '../weights/weight_file.js';

interface Unquantized {
  readonly folder: Folder;
  readonly config: JsonObject;
  /** The caller closes them. */
  readonly weights: WeightFiles;
}

/** @throws TransformerError like loading; `invalid_argument` if the weights are already quantised. */
export async function openUnquantized(source: string, signal: AbortSignal): Promise<Unquantized> {
  const folder = await openFolder(source);
  const config = await requireJson(folder, 'config.json', signal);
  if (isQuantized(config)) fail('invalid_argument', `the weights of ${folder.name} are already quantised`);
  return { folder, config, weights: await openWeights(folder, { signal }) };
}
