/** Opens a model of Firefox, whose folders have no config.json. Loaded where a folder has none. */

import { familyOf } from '../families/index.js';
import { readGenerationConfig } from '../generation/settings/generation_config.js';
import { readTokenizer } from '../tokenizers/read_tokenizer.js';
import { shapesOf } from '../weights/weight_file.js';
import type { OpenCheckpoint } from './opened_checkpoint.js';
import { checkVocabularies, readShortlist, type Student } from './student.js';

/** @throws TransformerError `bad_checkpoint`; the signal's reason. */
export async function openStudent(student: Student, signal?: AbortSignal): Promise<OpenCheckpoint> {
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
