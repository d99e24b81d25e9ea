/** The special tokens of a folder by their names in Python: `bos_token`, `mask_token`, .... */

import type { Folder } from '../files/folder.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { readJson } from '../files/read_json.js';

const names = ['bos', 'eos', 'unk', 'pad', 'sep', 'cls', 'mask'].map((name) => `${name}_token`);

/** Those of tokenizer_config.json, and of special_tokens_map.json where that lacks them. */
export async function specialTokens(folder: Folder, signal?: AbortSignal): Promise<Record<string, string>> {
  const [config, map] = await Promise.all(
    ['tokenizer_config.json', 'special_tokens_map.json'].map((name) => readJson(folder, name, signal)),
  );
  const tokens: Record<string, string> = {};
  for (const name of names) {
    const text = contentOf(config, name) ?? contentOf(map, name);
    if (text !== null) tokens[name] = text;
  }
  return tokens;
}

/** A token is stored as a string, or as an object with its content. */
function contentOf(file: JsonObject | null | undefined, name: string): string | null {
  const value = file?.[name];
  const content = isJsonObject(value) ? value.content : value;
  return typeof content === 'string' ? content : null;
}
