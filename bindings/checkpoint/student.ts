/** A translation model of Firefox in place of a checkpoint's config.json, weights and tokenizer. */

import type { Folder } from '../files/folder.js';
import { withoutGzip } from '../files/gzip.js';
import type { JsonObject } from '../files/json_object.js';
import { parseSimpleYaml } from '../files/simple_yaml.js';
import type { Plan } from '../plans/family.js';
import { vocabularyOf } from '../plans/model_shape.js';
import { readBytes } from '../tokenizers/read_files.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';
import { LexicalShortlist } from '../weights/lexical_shortlist.js';
import { openMarianFile } from '../weights/marian_file.js';
import type { OpenOptions, WeightFiles } from '../weights/weight_file.js';
import { findStudent, type LanguagePair, type StudentFiles } from './student_files.js';

export interface Student {
  /** Its files under their names, unpacked. */
  readonly folder: Folder;
  readonly names: StudentFiles;
  /** The model file's options, as a config.json. */
  readonly config: JsonObject;
  /** As a generation_config.json. */
  readonly generation: JsonObject;
  readonly files: WeightFiles;
}

/** The model in a folder; `null` if it has none. @throws TransformerError */
export async function studentIn(
  given: Folder,
  pair: LanguagePair | undefined,
  { signal, onDownload }: OpenOptions,
): Promise<Student | null> {
  const names = await findStudent(withoutGzip(given), pair, signal);
  if (!names) return null;
  const unpacked = withoutGzip(given, (name, loaded) => {
    if (name === names.model) onDownload?.(name, loaded, null);
  });
  const { hashes } = names;
  const folder = hashes?.size
    ? (await import('../files/integrity.js')).withIntegrity(unpacked, hashes)
    : unpacked;
  const { files, options } = await openMarianFile(folder, names.model, signal);
  const config = {
    ...parseSimpleYaml(options, `${names.model}: special:model.yml`),
    model_type: 'marian-student',
    vocabs: names.vocabs,
    model_file: names.model,
  };
  return { folder, names, config, generation: generationOf(names), files };
}

/** More than any sentence needs: how much is written follows from the source. */
const mostTokens = 1 << 20;

function generationOf({ options }: StudentFiles): JsonObject {
  const { 'max-length-factor': factor = 2, 'allow-unk': allowsUnknown = false } = options;
  return {
    eos_token_id: 0,
    pad_token_id: 0,
    decoder_start_token_id: 0,
    max_length: mostTokens,
    max_length_factor: factor,
    ...(allowsUnknown === true ? {} : { suppress_tokens: [1] }),
  };
}

/** @throws TransformerError `bad_checkpoint`, also for the shortlist of another model; `missing_file` */
export async function readShortlist(
  { folder, names }: Student,
  plan: Plan,
  signal?: AbortSignal,
): Promise<LexicalShortlist | null> {
  const { shortlist: name, vocabs } = names;
  if (name === null) return null;
  const bytes = await readBytes(folder, name, signal);
  if (!bytes) fail('missing_file', `the shortlist ${name} is missing`);
  return new LexicalShortlist(bytes, name, {
    sourceVocab: vocabularyOf(plan, 'encoder'),
    targetVocab: vocabularyOf(plan, 'decoder'),
    sharesVocabulary: vocabs[0] === vocabs[1],
  });
}

/** @throws TransformerError `bad_checkpoint` for the vocabulary of another model. */
export function checkVocabularies({ names }: Student, plan: Plan, tokenizer: Tokenizer | null): void {
  const sides = [
    { stack: 'encoder', name: names.vocabs[0], isSource: true },
    { stack: 'decoder', name: names.vocabs[1], isSource: false },
  ] as const;
  for (const { stack, name, isSource } of sides) {
    const rows = vocabularyOf(plan, stack);
    const has = (id: number) => tokenizer?.tokenOf(id, { isSource }) !== null;
    if (has(rows - 1) && !has(rows)) continue;
    fail('bad_checkpoint', `${name} does not fit ${names.model}, whose ${stack} has ${rows} tokens`);
  }
}
