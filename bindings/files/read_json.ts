/** The small files of a checkpoint: JSON objects. */

import { fail, messageOf } from '../values/errors.js';
import type { Folder, MissingFile, OpenFile } from './folder.js';
import { isNestedDeeper } from './json_depth.js';
import { isJsonObject, type JsonObject } from './json_object.js';

/** @throws TransformerError `missing_file`. */
export async function openFile(folder: Folder, name: string, signal?: AbortSignal): Promise<OpenFile> {
  const file = await folder.open(name, signal);
  return 'missing' in file ? fail('missing_file', file.missing) : file;
}

/**
 * Reads a JSON object; `null` if the file does not exist.
 *
 * @throws TransformerError `bad_checkpoint` if the file holds anything else.
 */
export async function readJson(
  folder: Folder,
  name: string,
  signal?: AbortSignal,
): Promise<JsonObject | null> {
  const file = await folder.open(name, signal);
  if ('missing' in file) return null;
  return file.json ?? (await jsonText(file, name)).value;
}

/** Like {@link readJson}, for a required file. */
export async function requireJson(folder: Folder, name: string, signal?: AbortSignal): Promise<JsonObject> {
  const read = await readJsonText(folder, name, signal);
  return 'missing' in read ? fail('missing_file', read.missing) : read.value;
}

/**
 * The largest known tokenizers have 40 MB, the largest index of weights 9 MB, the largest of the other files 1.2 MB.
 */
const maxBytes = (name: string) => (/(?:config|_map|modules)\.json$|\.jinja$/.test(name) ? 4 : 64) << 20;

/** More than any checkpoint's files need. */
const maxJsonDepth = 200;

/** A JSON object and its text. */
export async function readJsonText(
  folder: Folder,
  name: string,
  signal?: AbortSignal,
): Promise<{ value: JsonObject; text: string } | MissingFile> {
  const file = await folder.open(name, signal);
  return 'missing' in file ? file : jsonText(file, name);
}

async function jsonText(file: OpenFile, name: string): Promise<{ value: JsonObject; text: string }> {
  const { value, text } = await parsedText(file, name);
  if (!isJsonObject(value)) fail('bad_checkpoint', `${name} must contain a JSON object`);
  return { value, text };
}

/** The beginning of an object or an array is no JSON: what can be parsed is the whole file. */
async function parsedText(file: OpenFile, name: string): Promise<{ value: unknown; text: string }> {
  let parsed: { readonly value: unknown; readonly text: string } | undefined;
  const text = await textOf(file, name, (soFar) => {
    if (!/[}\]]/.test(soFar.trimEnd().slice(-1))) return false;
    try {
      parsed = { value: parseJson(soFar, name), text: soFar };
      return true;
    } catch {
      return false; // reported once it is certain that nothing follows
    }
  });
  return parsed?.text === text ? parsed : { value: parseJson(text, name), text };
}

function parseJson(text: string, name: string): unknown {
  if (isNestedDeeper(text, maxJsonDepth)) fail('bad_checkpoint', `${name} is nested too deeply`);
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail('bad_checkpoint', `${name} is not JSON: ${messageOf(error)}`);
  }
}

/** Reads a small text file; `null` if it does not exist. */
export async function readText(folder: Folder, name: string, signal?: AbortSignal): Promise<string | null> {
  const file = await folder.open(name, signal);
  return 'missing' in file ? null : textOf(file, name);
}

/**
 * Reads any JSON value; `null` if the file does not exist.
 *
 * @throws TransformerError `bad_checkpoint`
 */
export async function readJsonValue(folder: Folder, name: string, signal?: AbortSignal): Promise<unknown> {
  const file = await folder.open(name, signal);
  return 'missing' in file ? null : readJsonFile(file, name);
}

/** @throws TransformerError `bad_checkpoint` */
export const readJsonFile = async (file: OpenFile, name: string): Promise<unknown> =>
  (await parsedText(file, name)).value;

async function textOf(
  file: OpenFile,
  name: string,
  isWhole: (soFar: string) => boolean = () => false,
): Promise<string> {
  const decoder = new TextDecoder();
  const most = maxBytes(name);
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of file.bytes(() => isWhole(parts.join('')))) {
    bytes += chunk.length;
    if (bytes > most) fail('bad_checkpoint', `${name} is too large: more than ${most} bytes`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}
