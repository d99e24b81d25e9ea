/** Reads a tokenizer's files whole: they are small, and larger ones are rejected. */

import type { Folder } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import { readJson } from '../files/read_json.js';
import { fail } from '../values/errors.js';

/** The largest known vocabularies have some 20 MB. */
const mostBytes = 128 << 20;

/** @throws TransformerError `bad_checkpoint` if the file is far too large; `null` if it does not exist. */
export async function readBytes(
  folder: Folder,
  name: string,
  signal?: AbortSignal,
): Promise<Uint8Array | null> {
  const file = await folder.open(name, signal);
  if ('missing' in file) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of file.bytes()) {
    size += piece.length;
    if (size > mostBytes)
      fail('bad_checkpoint', `${name} is larger than ${mostBytes >> 20} MB, too large for a tokenizer`);
    pieces.push(piece);
  }
  const whole = new Uint8Array(size);
  let place = 0;
  for (const piece of pieces) {
    whole.set(piece, place);
    place += piece.length;
  }
  return whole;
}

/** The lines of a text file; `null` if it does not exist. */
export async function readLines(
  folder: Folder,
  name: string,
  signal?: AbortSignal,
): Promise<string[] | null> {
  const bytes = await readBytes(folder, name, signal);
  if (!bytes) return null;
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * A vocabulary: tokens and their ids, which are 0, 1, 2, ... in any order, except for ids in `elsewhere`.
 *
 * @throws TransformerError `bad_checkpoint`, naming the file and the token.
 */
export async function readVocabulary(
  folder: Folder,
  name: string,
  signal?: AbortSignal,
  elsewhere: ReadonlySet<number> = new Set(),
): Promise<Map<string, number> | null> {
  const json = await readJson(folder, name, signal);
  return json && checkVocabulary(json, name, elsewhere);
}

function checkVocabulary(
  json: JsonObject,
  name: string,
  elsewhere: ReadonlySet<number>,
): Map<string, number> {
  const vocabulary = new Map<string, number>();
  const owners = new Map<number, string>();
  for (const [token, id] of Object.entries(json)) {
    const shown = JSON.stringify(token.slice(0, 40));
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) {
      fail(
        'bad_checkpoint',
        `${name}: the id of ${shown} must be an integer, got ${JSON.stringify(id)?.slice(0, 40)}`,
      );
    }
    const owner = owners.get(id);
    if (owner !== undefined) {
      fail(
        'bad_checkpoint',
        `${name}: ${JSON.stringify(owner.slice(0, 40))} and ${shown} have the same id, ${id}`,
      );
    }
    owners.set(id, token);
    vocabulary.set(token, id);
  }
  if (vocabulary.size === 0) fail('bad_checkpoint', `${name} holds no tokens`);
  const missing = firstMissing(owners, elsewhere);
  if (missing !== null)
    fail('bad_checkpoint', `${name} has ${vocabulary.size} tokens, but none with id ${missing}`);
  return vocabulary;
}

/** The smallest unused id below the largest one. */
function firstMissing(owners: ReadonlyMap<number, string>, elsewhere: ReadonlySet<number>): number | null {
  let seen = 0;
  for (let id = 0; seen < owners.size; id++) {
    if (owners.has(id)) seen++;
    else if (!elsewhere.has(id)) return id;
  }
  return null;
}
