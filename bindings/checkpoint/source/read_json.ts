/** The small files of a checkpoint: JSON objects. */

import { fail } from '../../engine/errors.js';
import { isNestedDeeper } from '../json/json_depth.js';
import type { JsonObject } from '../json/json_object.js';
import type { Folder, MissingFile, OpenFile } from './folder.js';

/** @throws TransformerError `missing_file`. */
export async function openFile(folder: Folder, name: string, signal?: AbortSignal): Promise<OpenFile> {
  const file = await folder.open(name, signal);
  return 'missing' in file ? fail('missing_file', file.missing) : file;
}

/**
 * A JSON object, or `null` if there is no such file.
 *
 * @throws TransformerError `bad_checkpoint` when the file holds something else.
 */
export async function readJson(
  folder: Folder,
  name: string,
  signal?: AbortSignal,
): Promise<JsonObject | null> {
  const read = await readJsonText(folder, name, signal);
  return 'missing' in read ? null : read.value;
}

/** Like {@link readJson}, for a file that must be there. */
export async function requireJson(folder: Folder, name: string, signal?: AbortSignal): Promise<JsonObject> {
  const read = await readJsonText(folder, name, signal);
  return 'missing' in read ? fail('missing_file', read.missing) : read.value;
}

/** The largest tokenizer.json files have 40 MB. */
const maxJsonBytes = 64 << 20;

/** Deeper than any file of a model. */
const maxJsonDepth = 200;

/** A JSON object together with its text. */
export async function readJsonText(
  folder: Folder,
  name: string,
  signal?: AbortSignal,
): Promise<{ value: JsonObject; text: string } | MissingFile> {
  const file = await folder.open(name, signal);
  if ('missing' in file) return file;
  const text = await readText(file, name);
  if (isNestedDeeper(text, maxJsonDepth)) fail('bad_checkpoint', `${name} is nested too deeply`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    fail('bad_checkpoint', `${name} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fail('bad_checkpoint', `${name} must hold a JSON object`);
  }
  return { value: value as JsonObject, text };
}

async function readText(file: OpenFile, name: string): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of file.bytes()) {
    bytes += chunk.length;
    if (bytes > maxJsonBytes)
      fail('bad_checkpoint', `${name} is too large: it has more than ${maxJsonBytes} bytes`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}
