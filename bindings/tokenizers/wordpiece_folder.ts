/** BERT's WordPiece from vocab.txt, one token per line, as the tokenizer.json that it would be. */

import type { JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { addedTokens, requireToken, roleOf, type TokenizerConfigs } from './added_tokens.js';
import type { Codec } from './codec.js';
import { JsonCodec } from './json_codec.js';
import { readLines } from './read_files.js';
import type { TokenizerFiles } from './tokenizer_kind.js';

/** The names of the special tokens, where the folder gives none. */
interface Names {
  readonly unk: string;
  readonly cls: string;
  readonly sep: string;
  readonly pad: string;
  readonly mask: string;
  /** Whether a text's end is marked twice before a second text, and both have the same type. */
  readonly isRoberta: boolean;
}

/** By kind. */
export const names = {
  bert: { unk: '[UNK]', cls: '[CLS]', sep: '[SEP]', pad: '[PAD]', mask: '[MASK]', isRoberta: false },
  mpnet: { unk: '[UNK]', cls: '<s>', sep: '</s>', pad: '<pad>', mask: '<mask>', isRoberta: true },
} satisfies Record<string, Names>;

/** `null` if there is no vocab.txt. @throws TransformerError `bad_checkpoint`, `unsupported` */
export async function readWords(
  kind: keyof typeof names,
  { folder, configs, signal }: TokenizerFiles,
): Promise<Codec | null> {
  const { tokenizer_class: name, do_basic_tokenize: cutsWords } = configs.tokenizer;
  if (cutsWords === false || /Japanese/.test(String(name))) {
    fail(
      'unsupported',
      `tokenizer_config.json: ${name ?? 'the tokenizer'} does not split words as BERT does`,
    );
  }
  const lines = await readLines(folder, 'vocab.txt', signal);
  if (!lines) return null;
  const vocabulary = new Map<string, number>();
  for (const [id, token] of lines.entries()) {
    if (token === '') fail('bad_checkpoint', `vocab.txt: line ${id + 1} is empty`);
    const first = vocabulary.get(token);
    if (first !== undefined) {
      const shown = JSON.stringify(token.slice(0, 40));
      fail('bad_checkpoint', `vocab.txt has ${shown} on line ${first + 1} and on line ${id + 1}`);
    }
    vocabulary.set(token, id);
  }
  return new JsonCodec(wordPieceJson(vocabulary, configs, names[kind]), configs.tokenizer, 'vocab.txt');
}

function wordPieceJson(
  vocabulary: ReadonlyMap<string, number>,
  configs: TokenizerConfigs,
  usual: Names,
): JsonObject {
  const idOf = (token: string) => vocabulary.get(token) ?? null;
  const unknown = roleOf(configs, 'unk_token', usual.unk);
  const [cls, sep] = [roleOf(configs, 'cls_token', usual.cls), roleOf(configs, 'sep_token', usual.sep)];
  const known = new Map([unknown, cls, sep].map((token) => [token, requireToken(idOf, token, 'vocab.txt')]));
  const mask = roleOf(configs, 'mask_token', usual.mask);
  for (const token of [roleOf(configs, 'pad_token', usual.pad), mask]) {
    const id = idOf(token);
    if (id !== null) known.set(token, id);
  }
  const { do_lower_case, tokenize_chinese_chars, strip_accents } = configs.tokenizer;
  const special = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const first = [special(cls, 0), { Sequence: { id: 'A', type_id: 0 } }, special(sep, 0)];
  const second = usual.isRoberta ? 0 : 1;
  const between = usual.isRoberta ? [special(sep, 0)] : [];
  return {
    added_tokens: addedTokens(configs, known, idOf).map((token) =>
      usual.isRoberta && token.content === mask ? { ...token, lstrip: true } : token,
    ),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: tokenize_chinese_chars !== false,
      strip_accents: typeof strip_accents === 'boolean' ? strip_accents : null,
      lowercase: do_lower_case !== false,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: first,
      pair: [...first, ...between, { Sequence: { id: 'B', type_id: second } }, special(sep, second)],
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: unknown,
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary),
    },
  };
}
