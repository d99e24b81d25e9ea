/** Opens a checkpoint: its small files are read, and its weights can be. */

import type { Dtype } from '../engine/dtype.js';
import { type FamilyOf, familyOf } from '../families/index.js';
import type { Folder } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import { readJson, requireJson } from '../files/read_json.js';
import { type GenerationConfig, readGenerationConfig } from '../generation/settings/generation_config.js';
import type { Plan } from '../plans/family.js';
import { readTokenizer } from '../tokenizers/read_tokenizer.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { openWeights } from '../weights/open_weights.js';
import { isPacked, isQuantized } from '../weights/quantization.js';
import { type OpenOptions, shapesOf, type WeightFiles } from '../weights/weight_file.js';
import { withOwnProjection } from './own_projection.js';

/** A checkpoint whose small files have been read, and whose weights have not. */
export interface OpenCheckpoint {
  readonly config: JsonObject;
  readonly modelType: string | null;
  readonly generation: GenerationConfig;
  readonly tokenizer: Tokenizer | null;
  readonly plan: Plan;
  /** The caller of `openCheckpoint` closes it. */
  readonly files: WeightFiles;
  /** How to keep matrices that are quantised in the files; `null` if they are not. */
  readonly quantizedAs: Dtype | null;
}

/** @throws TransformerError; the signal's reason. */
export async function openCheckpoint(folder: Folder, options: OpenOptions): Promise<OpenCheckpoint> {
  const { signal } = options;
  const config = await requireJson(folder, 'config.json', signal);
  const family = await familyOf(config);
  // The largest file is on its way while the small ones are read.
  const opening = openWeights(folder, options);
  opening.catch(() => undefined); // awaited below, after the small files
  try {
    const [generationConfig, tokenizer] = await Promise.all([
      readJson(folder, 'generation_config.json', signal),
      readTokenizer(folder, { config, kind: family.tokenizer }, signal),
    ]);
    signal?.throwIfAborted();
    const generation = readGenerationConfig(generationConfig, family.config);
    const { files, dtype } = await withoutPacking(await opening, { config, family });
    const { modelType } = family;
    const plan = await withOwnProjection(family.plan(shapesOf(files)), files, signal);
    const quantizedAs = isQuantized(config) ? dtype : null;
    return { config, modelType, generation, tokenizer, plan, files, quantizedAs };
  } catch (error) {
    await (await opening.catch(() => undefined))?.close();
    throw error;
  }
}

/** Weights of 4 bits as if they were floats, and how to keep those that are quantised. */
export async function withoutPacking(
  files: WeightFiles,
  { config, family }: { config: JsonObject; family: FamilyOf },
): Promise<{ files: WeightFiles; dtype: Dtype }> {
  if (!isPacked(config)) return { files, dtype: 'int8' };
  return (await import('../weights/packed_files.js')).unpackedFiles(files, config, family.inputsFirst);
}
