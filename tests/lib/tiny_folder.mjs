// Reference models, which have no tokenizer, with the WordPiece tokenizer of the case `sentence_transformer`.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = new URL('../fixtures/reference/', import.meta.url);
const tokenizerFiles = ['tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'];
const encode = (value) => new TextEncoder().encode(JSON.stringify(value));
const read = (path) => new Uint8Array(readFileSync(new URL(path, folder)));

export const pathOfCase = (name) => fileURLToPath(new URL(name, folder));

/** All files of a case, those of the folders inside too, with a tokenizer whose words are the ids. */
export function folderWithIds(name, vocab) {
  const entries = readdirSync(new URL(`${name}/`, folder), { recursive: true, withFileTypes: true });
  const base = pathOfCase(name);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(base.length + 1));
  const tokenizer = {
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(Array.from({ length: vocab }, (_, id) => [`${id}`, id])),
      unk_token: '0',
    },
  };
  return new Map([
    ...files.map((file) => [file, read(`${name}/${file}`)]),
    ['tokenizer.json', encode(tokenizer)],
    ['tokenizer_config.json', encode({ tokenizer_class: 'PreTrainedTokenizerFast' })],
  ]);
}

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
