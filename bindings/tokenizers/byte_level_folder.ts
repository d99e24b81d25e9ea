/**
 * Byte-level BPE (Radford et al. 2019) from vocab.json and merges.txt, as the tokenizer.json that it would
 * be: GPT-2, RoBERTa, BART and Whisper.
 */

import type { JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { addedTokens, requireToken, roleOf, type TokenizerConfigs } from './added_tokens.js';
import type { Codec } from './codec.js';
import { JsonCodec } from './json_codec.js';
import { readLines, readVocabulary } from './read_files.js';
import type { TokenizerFiles } from './tokenizer_kind.js';

/** `null` if one of the files is missing. @throws TransformerError `bad_checkpoint`, `unsupported` */
export async function readByteLevel(
  kind: keyof typeof specials,
  { folder, configs, signal }: TokenizerFiles,
): Promise<Codec | null> {
  const lines = await readLines(folder, 'merges.txt', signal);
  if (!lines) return null;
  const elsewhere = new Set(addedTokens(configs, new Map(), () => null).map(({ id }) => id));
  const vocabulary = await readVocabulary(folder, 'vocab.json', signal, elsewhere);
  if (!vocabulary) return null;
  const merges = mergesOf(lines, vocabulary);
  const own = specials[kind](vocabulary, configs);
  const unknown = roleOf(configs, 'unk_token', own.unknown);
  const json = {
    added_tokens: addedTokens(configs, own.known, (token) => vocabulary.get(token) ?? null).map((token) =>
      token.content === own.mask ? { ...token, lstrip: true } : token,
    ),
    normalizer: null,
    pre_tokenizer: {
      type: 'ByteLevel',
      add_prefix_space: (configs.tokenizer.add_prefix_space ?? own.addsSpace) === true,
      trim_offsets: true,
    },
    post_processor: own.template,
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      unk_token: vocabulary.has(unknown) ? unknown : null,
      vocab: Object.fromEntries(vocabulary),
      merges,
    },
  };
  return new JsonCodec(json, configs.tokenizer, 'vocab.json');
}

function mergesOf(lines: readonly string[], vocabulary: ReadonlyMap<string, number>): [string, string][] {
  const merges: [string, string][] = [];
  for (const [i, line] of lines.entries()) {
    if (line === '' || (i === 0 && line.startsWith('#version'))) continue;
    const [left, right, ...others] = line.split(' ');
    if (!left || !right || others.length > 0)
      fail('bad_checkpoint', `merges.txt: line ${i + 1} does not hold two tokens`);
    const unknown = [left, right, left + right].find((token) => !vocabulary.has(token));
    if (unknown !== undefined) {
      const shown = JSON.stringify(unknown.slice(0, 40));
      fail('bad_checkpoint', `merges.txt: line ${i + 1} needs the token ${shown}, which vocab.json lacks`);
    }
    merges.push([left, right]);
  }
  return merges;
}

/** The differences between the families that have such files. */
interface Specials {
  /** The family's special tokens that the vocabulary contains. */
  readonly known: ReadonlyMap<string, number>;
  readonly unknown: string;
  /** The token that absorbs the space before it. */
  readonly mask: string | null;
  readonly template: JsonObject | null;
  /** Whether a space comes before a text, unless the folder says otherwise. */
  readonly addsSpace?: true;
}

type SpecialsOf = (vocabulary: ReadonlyMap<string, number>, configs: TokenizerConfigs) => Specials;

function gpt2(vocabulary: ReadonlyMap<string, number>, configs: TokenizerConfigs): Specials {
  const end = '<|endoftext|>';
  const id = vocabulary.get(end);
  const known = new Map<string, number>(id === undefined ? [] : [[end, id]]);
  if (configs.tokenizer.add_bos_token !== true) return { known, unknown: end, mask: null, template: null };
  const bos = roleOf(configs, 'bos_token', end);
  requireToken((token) => vocabulary.get(token) ?? null, bos, 'vocab.json');
  return { known, unknown: end, mask: null, template: templateOf([bos], [], [bos]) };
}

function roberta(vocabulary: ReadonlyMap<string, number>, configs: TokenizerConfigs): Specials {
  const idOf = (token: string) => vocabulary.get(token) ?? null;
  const [bos, eos] = [roleOf(configs, 'cls_token', '<s>'), roleOf(configs, 'sep_token', '</s>')];
  const known = new Map([bos, eos].map((token) => [token, requireToken(idOf, token, 'vocab.json')]));
  const mask = roleOf(configs, 'mask_token', '<mask>');
  for (const token of ['<pad>', '<unk>', mask]) {
    const id = idOf(token);
    if (id !== null) known.set(token, id);
  }
  return { known, unknown: '<unk>', mask, template: templateOf([bos], [eos], [eos]) };
}

/** The texts of a conversation follow each other; only its end is marked. */
function blenderbot(vocabulary: ReadonlyMap<string, number>, configs: TokenizerConfigs): Specials {
  const eos = roleOf(configs, 'eos_token', '</s>');
  return { ...roberta(vocabulary, configs), template: templateOf([], [eos], []), addsSpace: true };
}

/** The tokens for language, task and "no timestamps" are added to the vocabulary. */
function whisper(vocabulary: ReadonlyMap<string, number>, configs: TokenizerConfigs): Specials {
  const { language, task, predict_timestamps: hasTimes } = configs.tokenizer;
  const added = new Map(
    addedTokens(configs, new Map(), (token) => vocabulary.get(token) ?? null).map(({ content, id }) => [
      content,
      id,
    ]),
  );
  const end = '<|endoftext|>';
  const prompt = ['<|startoftranscript|>'];
  for (const wanted of [language, task]) {
    if (typeof wanted !== 'string') continue;
    if (!added.has(`<|${wanted}|>`))
      fail('unsupported', `tokenizer_config.json asks for <|${wanted}|>, which is not a token`);
    prompt.push(`<|${wanted}|>`);
  }
  if (hasTimes !== true) prompt.push('<|notimestamps|>');
  const idOf = (token: string) => added.get(token) ?? vocabulary.get(token) ?? null;
  const known = new Map(
    [...prompt, end].map((token) => [token, requireToken(idOf, token, 'added_tokens.json')]),
  );
  for (const [content, id] of added) if (/^<\|.*\|>$/.test(content)) known.set(content, id);
  return { known, unknown: end, mask: null, template: templateOf(prompt, [end], []) };
}

/** By kind. */
export const specials = { gpt2, roberta, blenderbot, whisper } satisfies Record<string, SpecialsOf>;

/** `before A after`, and `before A after between B after` for two texts. */
function templateOf(
  before: readonly string[],
  after: readonly string[],
  between: readonly string[],
): JsonObject {
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const text = (id: string) => ({ Sequence: { id, type_id: 0 } });
  const first = [...before.map(special), text('A'), ...after.map(special)];
  return {
    type: 'TemplateProcessing',
    single: first,
    pair: [...first, ...between.map(special), text('B'), ...after.map(special)],
  };
}
