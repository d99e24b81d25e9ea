/**
 * The steps of a tokenizer.json that the tokenizer library computes, by the `type` of their entry. Steps that
 * `steps.ts` implements are not listed, so that bundlers leave the library's versions out.
 */

import {
  BertPreTokenizer,
  BertProcessingPostProcessor,
  BPE,
  BPEDecoder,
  ByteLevelDecoder,
  ByteLevelPostProcessor,
  CTCDecoder,
  type Decoder,
  DigitsPreTokenizer,
  type Encoder,
  FixedLengthPreTokenizer,
  FuseDecoder,
  LowercaseNormalizer,
  MetaspacePreTokenizer,
  type Model,
  NFCNormalizer,
  NFDNormalizer,
  NFKCNormalizer,
  NFKDNormalizer,
  type Normalizer,
  type PostProcessor,
  PrecompiledNormalizer,
  PrependNormalizer,
  type PreTokenizer,
  PunctuationPreTokenizer,
  ReplaceDecoder,
  ReplaceNormalizer,
  ReplacePreTokenizer,
  RobertaProcessingPostProcessor,
  SequencePostProcessor,
  SplitPreTokenizer,
  StripAccentsNormalizer,
  StripDecoder,
  StripNormalizer,
  TemplateProcessingPostProcessor,
  WhitespacePreTokenizer,
  WhitespaceSplitPreTokenizer,
  WordPieceDecoder,
} from '@huggingface/tokenizers';
import { atOnce, type Steps } from '../engine/steps.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { boundPattern } from './patterns.js';
import { UnigramModel, unknownPenalty } from './unigram.js';
import { WordPieceModel } from './wordpiece.js';

/** Creates a step from its entry in tokenizer.json. */
const maker =
  <T extends object>(step: string, classes: Readonly<Record<string, new (entry: JsonObject) => T>>) =>
  (entry: JsonObject): T => {
    const { type } = entry;
    const Step = typeof type === 'string' && Object.hasOwn(classes, type) ? classes[type] : undefined;
    if (!Step) throw new Error(`unknown type of ${step}: '${type}'`);
    // JavaScript's replacements may insert the match and the text around it; those of tokenizers are literal.
    const { content } = entry;
    const isReplacement = type === 'Replace' && typeof content === 'string';
    const made = new Step(isReplacement ? { ...entry, content: content.replaceAll('$', '$$$$') } : entry);
    boundPattern(made, entry);
    return made;
  };

export const makeNormalizer = maker<Normalizer>('normalizer', {
  Lowercase: LowercaseNormalizer,
  NFC: NFCNormalizer,
  NFD: NFDNormalizer,
  NFKC: NFKCNormalizer,
  NFKD: NFKDNormalizer,
  Precompiled: PrecompiledNormalizer,
  Prepend: PrependNormalizer,
  Replace: ReplaceNormalizer,
  Strip: StripNormalizer,
  StripAccents: StripAccentsNormalizer,
});

export const makePreTokenizer = maker<PreTokenizer>('pre_tokenizer', {
  BertPreTokenizer,
  Digits: DigitsPreTokenizer,
  FixedLength: FixedLengthPreTokenizer,
  Metaspace: MetaspacePreTokenizer,
  Punctuation: PunctuationPreTokenizer,
  Replace: ReplacePreTokenizer,
  Split: SplitPreTokenizer,
  Whitespace: WhitespacePreTokenizer,
  WhitespaceSplit: WhitespaceSplitPreTokenizer,
});

export const makePostProcessor = maker<PostProcessor>('post_processor', {
  BertProcessing: BertProcessingPostProcessor,
  ByteLevel: ByteLevelPostProcessor,
  RobertaProcessing: RobertaProcessingPostProcessor,
  Sequence: SequencePostProcessor,
  TemplateProcessing: TemplateProcessingPostProcessor,
});

export const makeDecoder = maker<Decoder>('decoder', {
  BPEDecoder,
  ByteLevel: ByteLevelDecoder,
  CTC: CTCDecoder,
  Fuse: FuseDecoder,
  Replace: ReplaceDecoder,
  Strip: StripDecoder,
  WordPiece: WordPieceDecoder,
});

/**
 * Creates the model that splits words into tokens.
 *
 * @param entry checked by {@link checkTokenizerJson}; older files omit its type
 * @param settings tokenizer_config.json
 */
export function makeModel(entry: JsonObject, settings: JsonObject): Model {
  const { type, vocab } = entry;
  if (type === 'Unigram' || (type === undefined && Array.isArray(vocab))) return unigram(entry);
  if (isBpe(entry)) return atOnce(bytePairs(entry));
  if (type === 'WordPiece' || (type === undefined && 'continuing_subword_prefix' in entry))
    return wordPiece(entry);
  return modelOf(tokensOf(entry), entry.unk_token ?? settings.unk_token, (words) => [...words]);
}

const isBpe = ({ type, ...entry }: JsonObject) => type === 'BPE' || (type === undefined && 'merges' in entry);

/** As {@link makeModel}, with pauses where a vocabulary is large. */
export function* modelInSteps(entry: JsonObject, settings: JsonObject): Steps<Model> {
  return isBpe(entry) ? yield* bytePairs(entry) : makeModel(entry, settings);
}

/** Entries of a vocabulary that are added without a pause: some milliseconds. */
const entriesAtOnce = 4096;

/** The library's constructor takes everything at once. */
function* bytePairs(entry: JsonObject): Steps<Model> {
  const model = new BPE({ ...entry, vocab: {}, merges: [] });
  let added = 0;
  for (const [token, id] of vocabularyOf(entry)) {
    model.tokens_to_ids.set(token, Number(id));
    model.vocab[Number(id)] = token;
    if (++added % entriesAtOnce === 0) yield;
  }
  const { unk_token: unknown, merges } = entry;
  if (typeof unknown === 'string') Object.assign(model, { unk_token_id: model.tokens_to_ids.get(unknown) });
  const all = Array.isArray(merges) ? merges : [];
  for (const [rank, merge] of all.entries()) {
    const pair: unknown[] = typeof merge === 'string' ? merge.split(' ', 2) : merge;
    model.merges.push(pair);
    model.bpe_ranks.set(JSON.stringify(pair), rank);
    if (rank % entriesAtOnce === 0) yield;
  }
  return withFusing(model);
}

/** Tokens and their ids: of a file, an object; of one that is made of another, a map. */
export const vocabularyOf = ({ vocab }: JsonObject): Iterable<readonly [string, unknown]> =>
  vocab instanceof Map ? vocab : Object.entries(isJsonObject(vocab) ? vocab : {});

/** The library's keeps all pieces of the text in memory, at every place where they fit. */
function unigram({ vocab, unk_id: unknownId }: JsonObject): Model {
  const pieces = (Array.isArray(vocab) ? vocab : []).map(([text, score], id) => ({ text, id, score }));
  const least = pieces.reduce((lowest, { score }) => Math.min(lowest, score), Number.MAX_VALUE);
  const model = new UnigramModel(pieces, { id: -1, score: least - unknownPenalty }, Float64Array);
  const cut = (word: string) => atOnce(model.cut(word)).map(({ begin, end }) => word.slice(begin, end));
  const ids = new Map(pieces.map(({ text, id }) => [text, id]));
  const made = modelOf(ids, pieces[Number(unknownId)]?.text, (words) => fused(words.flatMap(cut), made));
  return made;
}

/** The library's looks up all ends of a word. */
function wordPiece(entry: JsonObject): Model {
  const tokens = tokensOf(entry);
  const { unk_token: unknown, continuing_subword_prefix: mark, max_input_chars_per_word: longest } = entry;
  const model = new WordPieceModel(tokens, {
    unknown: String(unknown),
    mark: typeof mark === 'string' ? mark : '',
    longestWord: Number(longest ?? 100),
  });
  return modelOf(tokens, unknown, (words) => words.flatMap((word) => model.cut(word)));
}

/** The library looks up a run of unknown letters with each letter that it adds to it: the square of the run's length. */
function withFusing<T extends Encoder>(model: T): T {
  if (!model.fuse_unk) return model;
  model.fuse_unk = false;
  const encode = model.encode.bind(model);
  model.encode = (words) => fused(encode(words), model);
  return model;
}

function fused(
  tokens: readonly string[],
  { tokens_to_ids: ids, unk_token_id: unknown, unk_token }: Model,
): string[] {
  const isUnknown = (token: string) => (ids.get(token) ?? unknown) === unknown;
  const longest = unk_token?.length ?? 0;
  const runs: string[] = [];
  let isInRun = false;
  for (const token of tokens) {
    const run = runs.at(-1) ?? '';
    const continues: boolean = isInRun && isUnknown(token);
    isInRun = continues || isUnknown(token);
    if (!continues) runs.push(token);
    // The unknown token itself takes what follows.
    else if (run.length > longest || ids.get(run) !== unknown) runs[runs.length - 1] = run + token;
  }
  return runs;
}

const tokensOf = ({ vocab }: JsonObject) =>
  new Map(Object.entries(isJsonObject(vocab) ? vocab : {}).map(([token, id]) => [token, Number(id)]));

/** A model of our own as one of the library's. */
function modelOf(
  tokens_to_ids: Map<string, number>,
  unknown: unknown,
  cut: (words: readonly string[]) => string[],
): Model {
  const vocab: string[] = [];
  for (const [token, id] of tokens_to_ids) vocab[id] = token;
  const unknownId = typeof unknown === 'string' ? tokens_to_ids.get(unknown) : undefined;
  return Object.assign(cut, {
    vocab,
    tokens_to_ids,
    ...(typeof unknown === 'string' && { unk_token: unknown }),
    ...(unknownId !== undefined && { unk_token_id: unknownId }),
  });
}
