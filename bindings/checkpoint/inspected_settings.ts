/** The settings in a folder that is inspected, whoever saved it. */

import type { Folder } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import { readJson, readJsonText } from '../files/read_json.js';
import { readGenerationConfig } from '../generation/settings/generation_config.js';
import { refuseFolder } from './open_checkpoint.js';
import type { Student } from './student.js';

export async function configOf(folder: Folder, signal?: AbortSignal): Promise<JsonObject> {
  const read = await readJsonText(folder, 'config.json', signal);
  return 'missing' in read ? refuseFolder(folder, read.missing, signal) : read.value;
}

/** A model of Firefox, whose folders have no config.json. */
export async function studentWithoutConfig(folder: Folder, signal?: AbortSignal): Promise<Student | null> {
  if (await readJson(folder, 'config.json', signal)) return null;
  return (await import('./student.js')).studentIn(folder, undefined, { signal });
}

/** The generation settings of a student, or of a folder. */
export async function generationOf(from: Student | Folder, config: JsonObject, signal?: AbortSignal) {
  const settings =
    'generation' in from ? from.generation : await readJson(from, 'generation_config.json', signal);
  return readGenerationConfig(settings, config);
}
