/** The tokens of a GGUF file, and the small files about them that a folder would have. */

import type { Steps } from '../../engine/steps.js';
import type { JsonObject } from '../../files/json_object.js';
import { fail } from '../../values/errors.js';
import { isIndex } from '../../values/tensor.js';
import { entriesAtOnce } from '../../weights/gguf_bytes.js';
import type { GgufValue, Metadata } from '../../weights/gguf_header.js';

/** The kinds of tokens, by the numbers of the file. */
export const tokenKinds = { normal: 1, unknown: 2, control: 3, user: 4, unused: 5, byte: 6 } as const;

/** Byte-level BPE, SentencePiece's BPE, WordPiece, and SentencePiece's Unigram. */
const vocabularyKinds = ['gpt2', 'llama', 'bert', 't5'] as const;
export type VocabularyKind = (typeof vocabularyKinds)[number];

export interface GgufVocabulary {
  /** `tokenizer.ggml.model`; `null`: the file has no tokenizer. */
  readonly model: VocabularyKind | null;
  readonly tokens: readonly string[];
  /** The id of each token; made once, since there are hundreds of thousands. */
  readonly ids: ReadonlyMap<string, number>;
  /** One of `tokenKinds` each; empty if the file does not tell. */
  readonly kinds: readonly number[];
  readonly metadata: Metadata;
  readonly file: string;
}

const prefix = 'tokenizer.ggml.';

/** @throws TransformerError `unsupported` for another tokenizer, naming it; `bad_checkpoint` */
export function* vocabularyOf(metadata: Metadata, file: string): Steps<GgufVocabulary> {
  const given = metadata.get(`${prefix}model`) ?? 'none';
  const ids = new Map<string, number>();
  if (given === 'none' || given === 'no_vocab')
    return { model: null, tokens: [], ids, kinds: [], metadata, file };
  const model = vocabularyKinds.find((kind) => kind === given);
  if (!model)
    fail(
      'unsupported',
      `${file}: ${prefix}model '${given}' is not supported; supported are ${vocabularyKinds.join(', ')}`,
    );
  const tokens = listOf<string>('tokens', 'string', { metadata, file });
  for (const [id, token] of tokens.entries()) {
    const other = ids.get(token);
    if (token === '') fail('bad_checkpoint', `${file}: ${prefix}tokens: token ${id} is empty`);
    if (other !== undefined)
      fail(
        'bad_checkpoint',
        `${file}: ${prefix}tokens: ${JSON.stringify(token.slice(0, 40))} has the ids ${other} and ${id}`,
      );
    ids.set(token, id);
    if (id % entriesAtOnce === 0) yield;
  }
  const hasKinds = metadata.has(`${prefix}token_type`);
  const kinds = hasKinds ? numbersOf('token_type', { metadata, file, tokens }) : [];
  return { model, tokens, ids, kinds, metadata, file };
}

/** A list of one type; `key` without its prefix. @throws TransformerError `bad_checkpoint` */
export function listOf<T extends string | number>(
  key: string,
  type: 'string' | 'number',
  { metadata, file }: Pick<GgufVocabulary, 'metadata' | 'file'>,
): readonly T[] {
  const values: GgufValue | undefined = metadata.get(prefix + key);
  const isList = Array.isArray(values) && values.every((value) => typeof value === type);
  if (!isList) fail('bad_checkpoint', `${file}: ${prefix}${key} must be a list of ${type}s`);
  return values as unknown as readonly T[];
}

/** A list with a number for each token. @throws TransformerError `bad_checkpoint` */
export function numbersOf(
  key: string,
  vocabulary: Pick<GgufVocabulary, 'metadata' | 'file' | 'tokens'>,
): readonly number[] {
  const { file, tokens } = vocabulary;
  const numbers = listOf<number>(key, 'number', vocabulary);
  if (numbers.length !== tokens.length)
    fail(
      'bad_checkpoint',
      `${file} has ${tokens.length} tokens, but ${numbers.length} entries of ${prefix}${key}`,
    );
  return numbers;
}

/** A yes or no about the tokenizer, such as `add_bos_token`. */
export function flagOf(key: string, fallback: boolean, { metadata, file }: GgufVocabulary): boolean {
  const value = metadata.get(prefix + key) ?? fallback;
  return typeof value === 'boolean'
    ? value
    : fail('bad_checkpoint', `${file}: ${prefix}${key} must be true or false`);
}

/** The token with a role, such as 'bos'; `null` if there is none. */
export function tokenOf(role: string, { metadata, file, tokens }: GgufVocabulary): string | null {
  // Files say "seperator", as the first ones did.
  const id =
    metadata.get(`${prefix}${role}_token_id`) ??
    metadata.get(`${prefix}${role.replace('separ', 'seper')}_token_id`);
  if (id === undefined) return null;
  return (
    (isIndex(id) ? tokens[id] : undefined) ??
    fail('bad_checkpoint', `${file}: ${prefix}${role}_token_id is ${id}, of ${tokens.length} tokens`)
  );
}

/** The tokenizer_config.json. */
export function tokenizerConfig(vocabulary: GgufVocabulary): JsonObject {
  const { model, tokens, kinds, metadata } = vocabulary;
  const special = (id: number) => kinds[id] === tokenKinds.control;
  const config: Record<string, unknown> = { chat_template: chatTemplates(metadata) };
  for (const [field, role] of [
    ['bos_token', 'bos'],
    ['eos_token', 'eos'],
    ['unk_token', 'unknown'],
    ['pad_token', 'padding'],
    ['cls_token', 'cls'],
    ['sep_token', 'separator'],
    ['mask_token', 'mask'],
  ] as const) {
    const token = tokenOf(role, vocabulary);
    if (token !== null) config[field] = token;
  }
  if (model !== 'llama') return config;
  const added = tokens.flatMap((content, id) => (special(id) ? [[`${id}`, { content, special: true }]] : []));
  return {
    ...config,
    tokenizer_class: 'LlamaTokenizer',
    legacy: true,
    add_bos_token: flagOf('add_bos_token', true, vocabulary),
    add_eos_token: flagOf('add_eos_token', false, vocabulary),
    added_tokens_decoder: Object.fromEntries(added),
  };
}

/** One template, or several by their names. */
function chatTemplates(metadata: Metadata): unknown {
  const key = 'tokenizer.chat_template';
  const one = metadata.get(key) ?? null;
  const others = [...metadata].flatMap(([name, template]) =>
    name.startsWith(`${key}.`) ? [{ name: name.slice(key.length + 1), template }] : [],
  );
  return others.length === 0
    ? one
    : [...(one === null ? [] : [{ name: 'default', template: one }]), ...others];
}
