// Folders with tokenizers made of the fixtures, and the tokenizers read from them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { familyOf } from '../../build/modules/families/index.js';
import { openFolder } from '../../build/modules/files/open_folder.js';
import { readTokenizer } from '../../build/modules/tokenizers/read_tokenizer.js';

const folder = join(import.meta.dirname, '../fixtures/tokenizers');

/** The bytes of a fixture. */
export const fixture = (name) => readFileSync(join(folder, name));

export const fixtureJson = (name) => JSON.parse(fixture(name).toString());

/** Lines of ordinary and unusual text with SentencePiece's results by model: ids, and the text that they decode to. */
export const lines = fixtureJson('lines.json');
export const expectedOf = (model) => fixtureJson(`${model}.json`);

/** @param files by name: bytes, or values to be written as JSON */
export function filesOf(files) {
  const bytes = Object.entries(files).map(([name, content]) => [
    name,
    content instanceof Uint8Array ? content : new TextEncoder().encode(JSON.stringify(content)),
  ]);
  return new Map(bytes);
}

/** The tokenizer of a folder with these files, for a model with this config.json. */
export async function tokenizerOf(files, config = {}) {
  const { tokenizer } = await familyOf(config);
  return readTokenizer(await openFolder(filesOf(files)), { config, kind: tokenizer });
}

/** The text at each token's position. */
export function placesOf(tokenizer, text, options) {
  const { tokens, offsets } = tokenizer.encode(text, options);
  return tokens.map((token, i) => [token, offsets[i] && text.slice(...offsets[i])]);
}
