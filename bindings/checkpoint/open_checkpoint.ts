/** Opens a checkpoint: its small files are read, and its weights can be. */

import { familyOf } from '../families/index.js';
import type { Folder } from '../files/folder.js';
import { readJson, readJsonText } from '../files/read_json.js';
import { readGenerationConfig } from '../generation/settings/generation_config.js';
import { readTokenizer } from '../tokenizers/read_tokenizer.js';
import { fail } from '../values/errors.js';
import { isQuantized } from '../weights/quantization.js';
import { shapesOf } from '../weights/weight_file.js';
import { knowsWeights, weightsOf, withoutPacking } from './folder_weights.js';
import type { CheckpointOptions, OpenCheckpoint } from './opened_checkpoint.js';
import { withOwnProjection } from './own_projection.js';

/** @throws TransformerError; the signal's reason. */
export async function openCheckpoint(folder: Folder, options: CheckpointOptions): Promise<OpenCheckpoint> {
  const { signal, pair } = options;
  const read = pair ? { missing: '' } : await readJsonText(folder, 'config.json', signal);
  if ('missing' in read) {
    const student = await (await import('./student.js')).studentIn(folder, pair, options);
    if (!student) return refuseFolder(folder, read.missing, signal);
    return (await import('./open_student.js')).openStudent(student, signal);
  }
  const config = read.value;
  const family = await familyOf(config);
  // Before a file is blamed that such a model need not have.
  family.requireKnown();
  // The largest file is on its way while the small ones are read.
  const opening = weightsOf(folder, options);
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
    const quantizedAs = isQuantized(config) ? dtype : knowsWeights(folder) ? await folder.keptAs() : null;
    return { config, modelType, generation, tokenizer, plan, files, quantizedAs, shortlist: null };
  } catch (error) {
    await (await opening.catch(() => undefined))?.close();
    throw error;
  }
}

/** Says why a folder without a config.json holds no model. */
export async function refuseFolder(folder: Folder, missing: string, signal?: AbortSignal): Promise<never> {
  const adapter = await readJson(folder, 'adapter_config.json', signal);
  if (!adapter) fail('missing_file', missing);
  const base =
    typeof adapter.base_model_name_or_path === 'string' ? adapter.base_model_name_or_path : 'another model';
  return fail(
    'unsupported',
    `${folder.name} holds an adapter (PEFT) for ${base}, not a model: merge it into the model in Python, with merge_and_unload()`,
  );
}
