/** Creates a tokenizer from the files of a folder. */

import type { Folder } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import { readJson } from '../files/read_json.js';
import { readTokenNames, type TokenizerConfigs } from './added_tokens.js';
import { JsonCodec } from './json_codec.js';
import { Languages } from './languages.js';
import { Tokenizer } from './tokenizer.js';
import { kindOfClass, refuseUnknownClass } from './tokenizer_classes.js';
import type { TokenizerKind } from './tokenizer_kind.js';

/**
 * The tokenizer of a folder; `null` for a model that takes only token ids. If there is no tokenizer.json, the files are
 * read by the kind that `tokenizer_class` names, or else the model's family.
 *
 * @param config config.json
 * @throws TransformerError `bad_checkpoint`, `missing_file`, `unsupported`
 */
export async function readTokenizer(
  folder: Folder,
  { config, kind }: { config: JsonObject; kind: TokenizerKind },
  signal?: AbortSignal,
): Promise<Tokenizer | null> {
  const [json, tokenizer] = await Promise.all([
    readJson(folder, 'tokenizer.json', signal),
    readJson(folder, 'tokenizer_config.json', signal),
  ]);
  const names = json ? { special: {}, added: {} } : await readTokenNames(folder, signal);
  const configs: TokenizerConfigs = { model: config, tokenizer: tokenizer ?? {}, ...names };
  const named = kindOfClass(configs, kind);
  if (!named && !json) await refuseUnknownClass(folder, configs, signal);
  const codec = json
    ? await JsonCodec.inSteps(json, configs.tokenizer, signal)
    : ((await named?.read({ folder, configs, signal })) ?? null);
  if (!codec) return null;
  const { languages: scheme } = named ?? kind;
  const languages = scheme ? Languages.of(scheme, codec, configs) : null;
  return new Tokenizer(codec, configs.tokenizer, languages);
}
