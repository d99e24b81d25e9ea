/**
 * Tokens that a folder defines outside of its vocabulary: in tokenizer_config.json (`added_tokens_decoder`,
 * `eos_token`, ...), special_tokens_map.json and added_tokens.json.
 */

import type { Folder } from '../files/folder.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { readJson } from '../files/read_json.js';
import { fail } from '../values/errors.js';
import type { AddedToken } from './codec.js';
import { checkTokenId } from './token_id.js';

/** The small JSON files next to a vocabulary; empty objects for missing files. */
export interface TokenizerConfigs {
  readonly model: JsonObject;
  readonly tokenizer: JsonObject;
  readonly special: JsonObject;
  readonly added: JsonObject;
}

/**
 * Reads the files that define tokens outside of a vocabulary. A tokenizer.json defines all of its tokens, so for a
 * folder that has one these files, which are usually missing, need not be requested.
 */
export async function readTokenNames(
  folder: Folder,
  signal?: AbortSignal,
): Promise<Pick<TokenizerConfigs, 'special' | 'added'>> {
  const [special, added] = await Promise.all(
    ['special_tokens_map.json', 'added_tokens.json'].map((name) => readJson(folder, name, signal)),
  );
  return { special: special ?? {}, added: added ?? {} };
}

const roles = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'];

/** The token with the role `role` (such as 'eos_token'), if the folder defines it. */
export function roleOf({ tokenizer, special }: TokenizerConfigs, role: string, fallback: string): string {
  return contentOf(tokenizer[role]) ?? contentOf(special[role]) ?? fallback;
}

/** Additional special tokens, listed in order and without ids. */
export function additionalSpecials({
  tokenizer,
  special,
}: Pick<TokenizerConfigs, 'tokenizer' | 'special'>): string[] {
  const listed = tokenizer.additional_special_tokens ?? special.additional_special_tokens;
  if (!Array.isArray(listed)) return [];
  return listed.map(contentOf).filter((content) => content !== null);
}

/**
 * The tokens that are never split.
 *
 * @param known special tokens that the family itself defines, with their ids
 * @param idOf looks up tokens that are listed without an id
 * @throws TransformerError `bad_checkpoint`
 */
export function addedTokens(
  configs: TokenizerConfigs,
  known: ReadonlyMap<string, number>,
  idOf: (token: string) => number | null,
): AddedToken[] {
  const named = new Set(roles.map((role) => roleOf(configs, role, '')));
  for (const content of additionalSpecials(configs)) named.add(content);
  named.delete('');
  const found = new Map<string, AddedToken>();
  const add = (content: string, id: number, given: JsonObject) =>
    found.set(content, tokenFrom(content, id, given));
  for (const [content, id] of Object.entries(configs.added)) {
    add(content, checkTokenId(id, content, 'added_tokens.json'), { special: named.has(content) });
  }
  for (const content of named) {
    const id = found.get(content)?.id ?? idOf(content);
    if (id !== null) add(content, id, {});
  }
  for (const role of roles) {
    const given = configs.special[role] ?? configs.tokenizer[role];
    const content = contentOf(given);
    const token = content === null ? undefined : found.get(content);
    if (token && isJsonObject(given)) add(token.content, token.id, { ...given, special: true });
  }
  for (const [content, id] of known)
    add(content, id, { ...found.get(content), special: true, normalized: false });
  const decoder = configs.tokenizer.added_tokens_decoder;
  for (const [key, given] of Object.entries(isJsonObject(decoder) ? decoder : {})) {
    const content = contentOf(given);
    if (content === null || content === '') {
      fail('bad_checkpoint', `tokenizer_config.json: added_tokens_decoder has no content for id ${key}`);
    }
    const fields = isJsonObject(given) ? given : {};
    const id = checkTokenId(Number(key), content, 'tokenizer_config.json');
    add(content, id, { special: false, ...fields });
  }
  return [...found.values()].sort((a, b) => a.id - b.id);
}

function tokenFrom(content: string, id: number, given: JsonObject): AddedToken {
  const flag = (name: string, fallback: boolean) =>
    given[name] === undefined || typeof given[name] !== 'boolean' ? fallback : given[name];
  const special = flag('special', true);
  return {
    id,
    content,
    special,
    lstrip: flag('lstrip', false),
    rstrip: flag('rstrip', false),
    single_word: flag('single_word', false),
    normalized: flag('normalized', !special),
  };
}

/**
 * The id of a token that the tokenizer requires.
 *
 * @param file the file that should contain it
 * @throws TransformerError `bad_checkpoint`
 */
export function requireToken(idOf: (token: string) => number | null, token: string, file: string): number {
  return idOf(token) ?? fail('bad_checkpoint', `${file} lacks the token ${JSON.stringify(token)}`);
}

function contentOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return isJsonObject(value) && typeof value.content === 'string' ? value.content : null;
}
