/** Opens a checkpoint: its small files are read, and its weights can be. */

import type { Dtype } from '../engine/dtype.js';
import { type FamilyOf, familyOf } from '../families/index.js';
import type { Folder } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import { readJson, readJsonText } from '../files/read_json.js';
import { type GenerationConfig, readGenerationConfig } from '../generation/settings/generation_config.js';
import type { Plan } from '../plans/family.js';
import { readTokenizer } from '../tokenizers/read_tokenizer.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';
import type { LexicalShortlist } from '../weights/lexical_shortlist.js';
import { openWeights } from '../weights/open_weights.js';
import { isPacked, isQuantized } from '../weights/quantization.js';
import { type OpenOptions, shapesOf, type WeightFiles } from '../weights/weight_file.js';
import type { FolderWithWeights } from './gguf/folder.js';
import { withOwnProjection } from './own_projection.js';
import type { Student } from './student.js';
import type { LanguagePair } from './student_files.js';

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
  /** The tokens that may translate those of a source; `null` for a model without a lexicon. */
  readonly shortlist: LexicalShortlist | null;
}

export interface CheckpointOptions extends OpenOptions {
  /** Which of the models of a registry. */
  readonly pair?: LanguagePair | undefined;
}

/** @throws TransformerError; the signal's reason. */
export async function openCheckpoint(folder: Folder, options: CheckpointOptions): Promise<OpenCheckpoint> {
  const { signal, pair } = options;
  const read = pair ? { missing: '' } : await readJsonText(folder, 'config.json', signal);
  if ('missing' in read) {
    const student = await (await import('./student.js')).studentIn(folder, pair, options);
    return student ? openStudent(student, signal) : fail('missing_file', read.missing);
  }
  const config = read.value;
  const family = await familyOf(config);
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

const knowsWeights = (folder: Folder): folder is FolderWithWeights => 'openWeights' in folder;

/** The weights of a folder, whether they are files of it or a part of the only one. */
export const weightsOf = (folder: Folder, options: OpenOptions): Promise<WeightFiles> =>
  knowsWeights(folder) ? folder.openWeights(options.signal) : openWeights(folder, options);

export type AsFolder = Folder & Partial<FolderWithWeights>;

/** The folder that a source stands for, even if it is a single file that holds everything. */
export async function asFolder(folder: Folder): Promise<AsFolder> {
  if (folder.file === undefined) return folder;
  return (await import('./gguf/folder.js')).folderOfGguf(folder, folder.file);
}

async function openStudent(student: Student, signal?: AbortSignal): Promise<OpenCheckpoint> {
  const { checkVocabularies, readShortlist } = await import('./student.js');
  const { folder, config, files } = student;
  const family = await familyOf(config);
  const tokenizer = await readTokenizer(folder, { config, kind: family.tokenizer }, signal);
  const plan = family.plan(shapesOf(files));
  checkVocabularies(student, plan, tokenizer);
  return {
    config,
    modelType: family.modelType,
    generation: readGenerationConfig(student.generation, family.config),
    tokenizer,
    plan,
    files,
    quantizedAs: files.tensors.some(({ integers }) => integers) ? 'int8' : null,
    shortlist: await readShortlist(student, plan, signal),
  };
}

/** Weights of 4 bits as if they were floats, and how to keep those that are quantised. */
export async function withoutPacking(
  files: WeightFiles,
  { config, family }: { config: JsonObject; family: FamilyOf },
): Promise<{ files: WeightFiles; dtype: Dtype }> {
  if (!isPacked(config)) return { files, dtype: 'int8' };
  return (await import('../weights/packed_files.js')).unpackedFiles(files, config, family.inputsFirst);
}
