/** Copies the files beside the weights of a checkpoint into another folder. */

import type { FileHandle } from 'node:fs/promises';
import type { Folder } from '../files/folder.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { readJsonValue } from '../files/read_json.js';
import type { OutputFolder } from './output_folder.js';

/** Files that are copied unchanged. */
const otherFiles = [
  'generation_config.json',
  'preprocessor_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'vocab.txt',
  'merges.txt',
  'target_vocab.json',
  'source.spm',
  'target.spm',
  'sentencepiece.bpe.model',
  'spiece.model',
  'spm.model',
  'tokenizer.model',
];

/** The files of a sentence-transformers folder: what follows the model, each module in a folder of its own. */
async function sentenceFiles(folder: Folder, signal: AbortSignal): Promise<string[]> {
  const modules = await readJsonValue(folder, 'modules.json', signal);
  if (!Array.isArray(modules)) return [];
  const places = modules.flatMap((module) => (isJsonObject(module) ? [String(module.path)] : []));
  // Only names of folders directly inside: nothing is written elsewhere.
  const inside = places.filter((place) => /^\w[\w.-]*$/.test(place));
  return [
    'modules.json',
    'sentence_bert_config.json',
    'config_sentence_transformers.json',
    ...inside.flatMap((place) =>
      ['config.json', 'model.safetensors', 'pytorch_model.bin'].map((name) => `${place}/${name}`),
    ),
  ];
}

/** Writes all bytes: the system may accept fewer at a time. */
export async function writeAt(file: FileHandle, bytes: Uint8Array, place: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, place + done);
    done += bytesWritten;
  }
}

/** Writes config.json, with its quantization_config, and the small files. Returns their names. */
export async function writeOthers(
  folder: Folder,
  output: OutputFolder,
  config: JsonObject,
  signal: AbortSignal,
): Promise<string[]> {
  const configFile = await output.file('config.json');
  await configFile.write(`${JSON.stringify(config, null, 2)}\n`);
  const names = ['config.json'];
  for (const name of [...otherFiles, ...(await sentenceFiles(folder, signal))]) {
    const opened = await folder.open(name, signal);
    if ('missing' in opened) continue;
    const file = await output.file(name);
    let place = 0;
    for await (const bytes of opened.bytes()) {
      await writeAt(file, bytes, place);
      place += bytes.length;
    }
    names.push(name);
  }
  return names;
}
