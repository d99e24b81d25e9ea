/** Which tokenizer a folder has, by the files in it and by the family that config.json names. */

import type { JsonObject } from '../json/json_object.js';
import type { Folder } from '../source/folder.js';
import { readJson } from '../source/read_json.js';
import { readTokenNames, type TokenizerConfigs } from './added_tokens.js';
import type { Codec } from './codec.js';
import { Languages } from './languages.js';
import { LibraryCodec } from './library_codec.js';
import { Tokenizer } from './tokenizer.js';

/**
 * The tokenizer of a folder; `null` for a model that is spoken to in token ids. tokenizer.json has the say where it is
 * there; else what it would be made of.
 *
 * @param config config.json
 * @throws TransformerError `bad_checkpoint`, `missing_file`, `unsupported`
 */
export async function readTokenizer(
  folder: Folder,
  config: JsonObject,
  signal?: AbortSignal,
): Promise<Tokenizer | null> {
  const [json, tokenizer] = await Promise.all([
    readJson(folder, 'tokenizer.json', signal),
    readJson(folder, 'tokenizer_config.json', signal),
  ]);
  const names = json ? { special: {}, added: {} } : await readTokenNames(folder, signal);
  const configs: TokenizerConfigs = { model: config, tokenizer: tokenizer ?? {}, ...names };
  const codec = json
    ? new LibraryCodec(json, configs.tokenizer, 'tokenizer.json')
    : await readParts(folder, configs, signal);
  return codec && new Tokenizer(codec, configs.tokenizer, Languages.of(codec, configs));
}

/** Readers that most pages never need come when they are needed. */
async function readParts(
  folder: Folder,
  configs: TokenizerConfigs,
  signal?: AbortSignal,
): Promise<Codec | null> {
  const { readSentencePieceFolder } = await import('./sentencepiece_folder.js');
  const pieces = await readSentencePieceFolder(folder, configs, signal);
  if (pieces) return pieces;
  const { readByteLevelFolder } = await import('./byte_level_folder.js');
  const bytes = await readByteLevelFolder(folder, configs, signal);
  if (bytes) return new LibraryCodec(bytes, configs.tokenizer, 'vocab.json');
  const { readWordPieceFolder } = await import('./wordpiece_folder.js');
  const words = await readWordPieceFolder(folder, configs, signal);
  return words && new LibraryCodec(words, configs.tokenizer, 'vocab.txt');
}
