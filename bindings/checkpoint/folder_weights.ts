/** The weights of a folder, whichever files hold them and however they are packed. */

import type { Dtype } from '../engine/dtype.js';
import type { FamilyOf } from '../families/index.js';
import type { Folder } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import { openWeights } from '../weights/open_weights.js';
import { isPacked } from '../weights/quantization.js';
import type { OpenOptions, WeightFiles } from '../weights/weight_file.js';
import type { FolderWithWeights } from './gguf/folder.js';

export const knowsWeights = (folder: Folder): folder is FolderWithWeights => 'openWeights' in folder;

/** The weights of a folder, whether they are files of it or a part of the only one. */
export const weightsOf = (folder: Folder, options: OpenOptions): Promise<WeightFiles> =>
  knowsWeights(folder) ? folder.openWeights(options.signal) : openWeights(folder, options);

export type AsFolder = Folder & Partial<FolderWithWeights>;

/** The folder that a source stands for, even if it is a single file that holds everything. */
export async function asFolder(folder: Folder): Promise<AsFolder> {
  if (folder.file === undefined) return folder;
  return (await import('./gguf/folder.js')).folderOfGguf(folder, folder.file);
}

/** Weights of 4 bits as if they were floats, and how to keep those that are quantised. */
export async function withoutPacking(
  files: WeightFiles,
  { config, family }: { config: JsonObject; family: FamilyOf },
): Promise<{ files: WeightFiles; dtype: Dtype }> {
  if (!isPacked(config)) return { files, dtype: 'int8' };
  return (await import('../weights/packed_files.js')).unpackedFiles(files, config, family.inputsFirst);
}
