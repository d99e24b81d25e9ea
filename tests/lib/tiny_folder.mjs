// Reference models, which have no tokenizer, with the WordPiece tokenizer of the case `sentence_transformer`.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../fixtures/reference/', import.meta.url);
const tokenizerFiles = ['tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'];
const encode = (value) => new TextEncoder().encode(JSON.stringify(value));
const read = (path) => new Uint8Array(readFileSync(new URL(path, folder)));

export const pathOfCase = (name) => fileURLToPath(new URL(name, folder));

/**
 * The files of a case by name, with a tokenizer of 87 words.
 *
 * @param config fields to add to config.json
 * @param others further files: values are written as JSON
 */
export function folderWithWords(name, config = {}, others = {}) {
  const files = new Map(
    readdirSync(new URL(`${name}/`, folder))
      .filter((file) => /^(model\.safetensors|generation_config\.json)$/.test(file))
      .map((file) => [file, read(`${name}/${file}`)]),
  );
  for (const file of tokenizerFiles) files.set(file, read(`sentence_transformer/${file}`));
  const stored = JSON.parse(new TextDecoder().decode(read(`${name}/config.json`)));
  files.set('config.json', encode({ ...stored, ...config }));
  for (const [file, content] of Object.entries(others))
    files.set(file, content instanceof Uint8Array ? content : encode(content));
  return files;
}
