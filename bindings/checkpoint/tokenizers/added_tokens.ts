/**
 * The tokens that a folder names beside its vocabulary: in tokenizer_config.json (`added_tokens_decoder`, `eos_token`,
 * ...), in special_tokens_map.json and in added_tokens.json.
 */

import { fail } from '../../engine/errors.js';
import type { JsonObject } from '../json/json_object.js';
import type { Folder } from '../source/folder.js';
import { readJson } from '../source/read_json.js';
import type { AddedToken } from './codec.js';

/** The small JSON files beside a vocabulary; empty objects for those that are missing. */
export interface TokenizerConfigs {
  readonly model: JsonObject;
  readonly tokenizer: JsonObject;
  readonly special: JsonObject;
  readonly added: JsonObject;
}

/**
 * The files that name tokens beside a vocabulary. A tokenizer.json names all of its tokens itself, so a folder that has
 * one is not asked for these, which are mostly missing there.
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

/** The token for a role such as 'eos_token', if the folder names one. */
export function roleOf({ tokenizer, special }: TokenizerConfigs, role: string, fallback: string): string {
  return contentOf(tokenizer[role]) ?? contentOf(special[role]) ?? fallback;
}

/** Tokens without an id of their own, in order. */
export function additionalSpecials({
  tokenizer,
  special,
}: Pick<TokenizerConfigs, 'tokenizer' | 'special'>): string[] {
  const listed = tokenizer.additional_special_tokens ?? special.additional_special_tokens;
  if (!Array.isArray(listed)) return [];
  return listed.map(contentOf).filter((content) => content !== null);
}

/**
 * The tokens that are never cut.
 *
 * @param known the family's own special tokens, with their ids
 * @param idOf looks up the id of a token that is named without one
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
    add(content, checkId(id, 'added_tokens.json', content), { special: named.has(content) });
  }
  for (const content of named) {
    const id = found.get(content)?.id ?? idOf(content);
    if (id !== null) add(content, id, {});
  }
  for (const role of roles) {
    const given = configs.special[role] ?? configs.tokenizer[role];
    const content = contentOf(given);
    const token = content === null ? undefined : found.get(content);
    if (token && isObject(given)) add(token.content, token.id, { ...given, special: true });
  }
  for (const [content, id] of known)
    add(content, id, { ...found.get(content), special: true, normalized: false });
  const decoder = configs.tokenizer.added_tokens_decoder;
  for (const [key, given] of Object.entries(isObject(decoder) ? decoder : {})) {
    const content = contentOf(given);
    if (content === null || content === '') {
      fail('bad_checkpoint', `tokenizer_config.json: added_tokens_decoder has no content for the id ${key}`);
    }
    add(content, checkId(Number(key), 'tokenizer_config.json', content), {
      special: false,
      ...(given as JsonObject),
    });
  }
  return [...found.values()].sort((a, b) => a.id - b.id);
}

function tokenFrom(content: string, id: number, given: JsonObject): AddedToken {
  const flag = (name: string, fallback: boolean) =>
    typeof given[name] === 'boolean' ? (given[name] as boolean) : fallback;
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
 * The id of a token that the tokenizer cannot do without.
 *
 * @param file that should have it
 * @throws TransformerError `bad_checkpoint`
 */
export function requireToken(idOf: (token: string) => number | null, token: string, file: string): number {
  return idOf(token) ?? fail('bad_checkpoint', `${file} does not have the token ${JSON.stringify(token)}`);
}

/** More than any vocabulary has: larger ids would only cost memory. */
const mostIds = 1 << 24;

function checkId(id: unknown, file: string, content: string): number {
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < mostIds) return id;
  const shown = JSON.stringify(content.slice(0, 40));
  return fail(
    'bad_checkpoint',
    `${file}: the id of ${shown} must be a whole number below ${mostIds}, got ${id}`,
  );
}

function contentOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return isObject(value) && typeof value.content === 'string' ? value.content : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
