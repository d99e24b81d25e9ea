/** BERT's WordPiece from vocab.txt, one token per line, converted to the JSON that the tokenizer library takes. */

import { fail } from '../../engine/errors.js';
import type { JsonObject } from '../json/json_object.js';
import { addedTokens, requireToken, roleOf, type TokenizerConfigs } from './added_tokens.js';
import type { Codec } from './codec.js';
import { LibraryCodec } from './library_codec.js';
import { readLines } from './read_files.js';
import type { TokenizerFiles } from './tokenizer_kind.js';

/** `null` if there is no vocab.txt. @throws TransformerError `bad_checkpoint`, `unsupported` */
export async function readWordPiece({ folder, configs, signal }: TokenizerFiles): Promise<Codec | null> {
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
  return new LibraryCodec(wordPieceJson(vocabulary, configs), configs.tokenizer, 'vocab.txt');
}

function wordPieceJson(vocabulary: ReadonlyMap<string, number>, configs: TokenizerConfigs): JsonObject {
  const idOf = (token: string) => vocabulary.get(token) ?? null;
  const unknown = roleOf(configs, 'unk_token', '[UNK]');
  const [cls, sep] = [roleOf(configs, 'cls_token', '[CLS]'), roleOf(configs, 'sep_token', '[SEP]')];
  const known = new Map([unknown, cls, sep].map((token) => [token, requireToken(idOf, token, 'vocab.txt')]));
  for (const token of [roleOf(configs, 'pad_token', '[PAD]'), roleOf(configs, 'mask_token', '[MASK]')]) {
    const id = idOf(token);
    if (id !== null) known.set(token, id);
  }
  const { do_lower_case, tokenize_chinese_chars, strip_accents } = configs.tokenizer;
  const special = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const first = [special(cls, 0), { Sequence: { id: 'A', type_id: 0 } }, special(sep, 0)];
  return {
    added_tokens: addedTokens(configs, known, idOf),
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
      pair: [...first, { Sequence: { id: 'B', type_id: 1 } }, special(sep, 1)],
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
