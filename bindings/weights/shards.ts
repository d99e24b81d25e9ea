/** Sharded weights: an index, whose `weight_map` names the file (shard) of each tensor, and the shards. */

import type { Folder, MissingFile } from '../files/folder.js';
import { isInsideFolder } from '../files/inside_folder.js';
import { repeatedName } from '../files/json_names.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { readJsonText } from '../files/read_json.js';
import { showJson } from '../files/show_json.js';
import { fail } from '../values/errors.js';
import type { OpenOptions, OpenWeightFile, WeightFile, WeightFiles } from './weight_file.js';

/**
 * Opens the index and every shard that it names.
 *
 * @throws TransformerError `missing_file` for a missing shard; `bad_checkpoint` if index and shards disagree.
 */
export async function openShards(
  folder: Folder,
  name: string,
  open: OpenWeightFile,
  { signal, onDownload }: OpenOptions,
): Promise<WeightFiles | MissingFile> {
  const read = await readJsonText(folder, name, signal);
  if ('missing' in read) return read;
  const map = weightMap(read, name);
  const files: WeightFile[] = [];
  const close = async () => {
    for (const file of files) await file.close();
  };
  try {
    const shards = [...new Set(map.values())];
    // Of this format each is downloaded as a whole when it is opened: the sum is asked for before.
    const total =
      onDownload && name.endsWith('.bin.index.json') ? await sizeOf(folder, shards, signal) : null;
    // One after the other: if the first is missing, the others need not be requested.
    for (const shard of shards) {
      const before = files.reduce((sum, { size }) => sum + (size ?? 0), 0);
      const file = await open(folder, shard, {
        signal,
        onDownload: (name, loaded) => onDownload?.(name, before + loaded, total),
        isOneOfMany: true,
      });
      if ('missing' in file) fail('missing_file', `${name} names ${shard}, but ${file.missing}`);
      files.push(file);
    }
    checkAgainst(map, files, name);
  } catch (error) {
    await close();
    throw error;
  }
  const sizes = files.map(({ size }) => size);
  return {
    name,
    size: sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0),
    files,
    tensors: files.flatMap(({ tensors }) => tensors),
    close,
  };
}

/** @returns `null` where a server does not say, or a file is missing, which is told when it is opened */
async function sizeOf(
  folder: Folder,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<number | null> {
  let sum = 0;
  for (const name of names) {
    const file = await folder.open(name, signal);
    if ('missing' in file) return null;
    await file.close();
    const size = file.size ?? file.announcedSize;
    if (size === null) return null;
    sum += size;
  }
  return sum;
}

/** Maps tensor names to file names. */
function weightMap({ value, text }: { value: JsonObject; text: string }, name: string): Map<string, string> {
  const map = value.weight_map;
  if (!isJsonObject(map))
    fail('bad_checkpoint', `${name}: weight_map must be an object that maps tensor names to file names`);
  const repeated = repeatedName(text);
  if (repeated !== null) fail('bad_checkpoint', `${name} names '${repeated}' twice`);
  const files = new Map<string, string>();
  for (const [tensor, shard] of Object.entries(map)) {
    if (!isFileName(shard)) {
      fail(
        'bad_checkpoint',
        `${name}: the tensor '${tensor}' must be in a file of this folder, got ${showJson(shard)}`,
      );
    }
    files.set(tensor, shard);
  }
  if (files.size === 0) fail('bad_checkpoint', `${name}: weight_map names no tensors`);
  return files;
}

/** A plain file name: an index must not lead out of its folder. */
const isFileName = (name: unknown): name is string =>
  typeof name === 'string' && !/[/:]/.test(name) && isInsideFolder(name);

/** Every tensor must be where the index says, and nowhere else; tensors that the index omits are allowed. */
function checkAgainst(map: ReadonlyMap<string, string>, files: readonly WeightFile[], name: string): void {
  const found = new Map<string, string>();
  for (const file of files) {
    for (const tensor of file.tensors) {
      const other = found.get(tensor.name) ?? map.get(tensor.name) ?? file.name;
      if (other !== file.name) {
        fail(
          'bad_checkpoint',
          `${name}: the tensor '${tensor.name}' is in ${file.name}, but also belongs to ${other}`,
        );
      }
      found.set(tensor.name, file.name);
    }
  }
  for (const [tensor, shard] of map) {
    if (!found.has(tensor)) {
      fail('bad_checkpoint', `${shard} lacks the tensor '${tensor}', which ${name} assigns to it`);
    }
  }
}
