/**
 * A vocabulary of the kind 'gpt2' as a tokenizer.json: byte-level BPE, of which the file names the rule that splits
 * words.
 */

import type { Steps } from '../../engine/steps.js';
import type { JsonObject } from '../../files/json_object.js';
import { PairTable } from '../../tokenizers/pair_table.js';
import { fail } from '../../values/errors.js';
import { entriesAtOnce } from '../../weights/gguf_bytes.js';
import { addedTokens, templateOf } from './template.js';
import { type GgufVocabulary, listOf } from './vocabulary.js';

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const endings = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const words = '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+';
const upper = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const lower = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const slashes = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
/** Words by the case of their letters, with what may follow. */
const casedWords = (after: string) =>
  `[^\\r\\n\\p{L}\\p{N}]?${upper}*${lower}+${after}|[^\\r\\n\\p{L}\\p{N}]?${upper}+${lower}*${after}`;

/** How a text is split into words. */
interface Rule {
  readonly names: readonly string[];
  /** Steps of the pre-tokenizer; its last one writes bytes as letters. */
  readonly steps: readonly JsonObject[];
  readonly normalizer?: JsonObject;
  /** Whether a word that is a token stays one, whatever the merges say. */
  readonly ignoresMerges?: boolean;
  /** Whether a text begins with the token for it where the file does not tell. */
  readonly addsBos?: boolean;
}

const split = (pattern: string): JsonObject => ({
  type: 'Split',
  pattern: { Regex: pattern },
  behavior: 'Isolated',
  invert: false,
});
const byteLetters = (splits: boolean): JsonObject => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: false,
  use_regex: splits,
});
const by = (...patterns: readonly string[]) => [...patterns.map(split), byteLetters(false)];

const gpt2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
/** Ideographs, kana and Hangul as DeepSeek's patterns have them. */
const ideographs = '[一-龥ࠀ-一가-퟿]+';
/** The letters of scripts with cases. */
const cased =
  'A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼ\\u2102\\u2107\\u210a-\\u2113\\u2115\\u2119-\\u211d\\u2124\\u2126\\u2128\\u212a-\\u212d\\u212f-\\u2134\\u2139\\u213c-\\u213f\\u2145-\\u2149\\u214eↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃';
const commas = ' ?[^(\\s|.,!?…。，、।۔،)]+';

/** By the names of `tokenizer.ggml.pre`, as in llama.cpp's `llm_load_vocab`. */
const rules: readonly Rule[] = [
  {
    names: ['llama-bpe', 'llama3', 'llama-v3', 'falcon3', 'pixtral', 'lfm2'],
    steps: by(`${contractions}|${words}|\\p{N}{1,3}|${endings}`),
    ignoresMerges: true,
    addsBos: true,
  },
  {
    names: ['dbrx', 'smaug-bpe', 'chatglm-bpe', 'glm4'],
    steps: by(`${contractions}|${words}|\\p{N}{1,3}|${endings}`),
  },
  {
    names: ['qwen2', 'deepseek-r1-qwen', 'megrez'],
    steps: by(`${contractions}|${words}|\\p{N}|${endings}`),
    normalizer: { type: 'NFC' },
  },
  { names: ['stablelm2'], steps: by(`${contractions}|${words}|\\p{N}|${endings}`) },
  {
    names: ['gpt-2', 'phi-2', 'mpt', 'olmo', 'gigachat', 'exaone4', 'gpt-neox', 'jais', 'trillion'],
    steps: [byteLetters(true)],
  },
  {
    names: ['smollm', 'starcoder', 'refact', 'command-r', 'codeshell', 'exaone', 'minerva-7b'],
    steps: [{ type: 'Digits', individual_digits: true }, byteLetters(true)],
  },
  {
    names: ['gpt-4o', 'llama4'],
    steps: by(`${casedWords(`${contractions}?`)}|\\p{N}{1,3}|${slashes}`),
  },
  {
    names: ['deepseek-llm'],
    steps: by('[\r\n]', `\\s?[${cased}]+`, '\\s?[!-/:-~！-／：-～‘-‟　-。]+', '\\s+$', ideographs, '\\p{N}+'),
  },
  {
    names: ['deepseek-coder'],
    steps: by('[\r\n]', '\\s?\\p{L}+', '\\s?\\p{P}+', ideographs, '\\p{N}'),
  },
  {
    names: ['deepseek-v3'],
    steps: by(
      '\\p{N}{1,3}',
      '[一-龥぀-ゟ゠-ヿ]+',
      '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
    ),
  },
  { names: ['falcon'], steps: by('[\\p{P}$+<=>^~|`]+', gpt2, '[0-9][0-9][0-9]') },
  { names: ['bloom', 'poro-chat', 'gpt3-finnish'], steps: by(commas) },
  { names: ['viking'], steps: by(commas, '\\p{N}') },
  { names: ['default'], steps: by('[\\p{P}$+<=>^~|]+', gpt2, '\\p{N}+', '[0-9][0-9][0-9]') },
  {
    names: ['tekken'],
    steps: by(`${casedWords('')}|\\p{N}|${slashes}`),
    ignoresMerges: true,
    addsBos: true,
  },
];

/** Where old files do not name the rule. */
const rulesOfArchitectures: Readonly<Record<string, string>> = { qwen2: 'qwen2', gpt2: 'gpt-2' };

function ruleOf({ metadata, file }: GgufVocabulary): Rule {
  const key = 'tokenizer.ggml.pre';
  const name =
    metadata.get(key) ?? rulesOfArchitectures[`${metadata.get('general.architecture')}`] ?? 'default';
  const rule = rules.find(({ names }) => names.includes(`${name}`));
  if (rule) return rule;
  const known = rules.flatMap(({ names }) => names).join(', ');
  return fail(
    'unsupported',
    `${file}: ${key} '${name}', the rule by which words are split, is not supported; known are ${known}`,
  );
}

/** @throws TransformerError `unsupported` for a rule that is not known, naming it; `bad_checkpoint` */
export function* byteLevelJson(vocabulary: GgufVocabulary): Steps<JsonObject> {
  const rule = ruleOf(vocabulary);
  return {
    added_tokens: addedTokens(vocabulary),
    normalizer: rule.normalizer ?? null,
    pre_tokenizer: { type: 'Sequence', pretokenizers: rule.steps },
    post_processor: templateOf(vocabulary, { bos: rule.addsBos ?? false, eos: false }),
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      // An object of that many names takes several times as long.
      vocab: vocabulary.ids,
      merges: yield* mergesOf(vocabulary),
      ignore_merges: rule.ignoresMerges ?? false,
    },
  };
}

function* mergesOf(vocabulary: GgufVocabulary): Steps<PairTable> {
  const { ids, file } = vocabulary;
  const merges = listOf<string>('merges', 'string', vocabulary);
  const table = new PairTable(merges.length);
  for (const [rank, merge] of merges.entries()) {
    // A token may be a space, but does not begin with one.
    const space = merge.indexOf(' ', 1);
    const [left, right] = [merge.slice(0, space), merge.slice(space + 1)];
    const [first, second, both] = [ids.get(left), ids.get(right), ids.get(left + right)];
    if (space <= 0 || first === undefined || second === undefined || both === undefined) {
      const entry = `entry ${rank}, ${JSON.stringify(merge.slice(0, 40))},`;
      fail('bad_checkpoint', `${file}: tokenizer.ggml.merges: ${entry} is not of two tokens`);
    }
    table.set(first, second, rank, both);
    if (rank % entriesAtOnce === 0) yield;
  }
  return table;
}
