/**
 * The steps of a tokenizer.json that the tokenizer library computes, each by the `type` of its entry. Those that `steps.ts`
 * has itself are not among them, so that a bundler leaves the library's out.
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
  Unigram,
  WhitespacePreTokenizer,
  WhitespaceSplitPreTokenizer,
  WordPiece,
  WordPieceDecoder,
} from '@huggingface/tokenizers';
import { fail, TransformerError } from '../../engine/errors.js';
import type { JsonObject } from '../json/json_object.js';

/** Makes a step from its entry in a tokenizer.json. */
const maker =
  <T>(step: string, classes: Readonly<Record<string, new (entry: JsonObject) => T>>) =>
  (entry: JsonObject): T => {
    const { type } = entry;
    const Step = typeof type === 'string' && Object.hasOwn(classes, type) ? classes[type] : undefined;
    if (!Step) throw new Error(`no ${step} of the type '${type}' is known`);
    return new Step(entry);
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
 * The model that cuts words into tokens.
 *
 * @param entry one that {@link checkTokenizerJson} has checked; older files do not say its type
 * @param settings tokenizer_config.json
 */
export function makeModel(entry: JsonObject, settings: JsonObject): Model {
  const { type, vocab } = entry;
  if (type === 'Unigram' || (type === undefined && Array.isArray(vocab)))
    return new Unigram(entry, settings.eos_token);
  if (type === 'BPE' || (type === undefined && 'merges' in entry)) return new BPE(entry);
  if (type === 'WordPiece' || (type === undefined && 'continuing_subword_prefix' in entry))
    return new WordPiece(entry);
  return wholeWords(vocab as Readonly<Record<string, number>>, entry.unk_token ?? settings.unk_token);
}

/** A vocabulary of words, which the library has only inside of its tokenizer. */
function wholeWords(vocabulary: Readonly<Record<string, number>>, unknown: unknown): Model {
  const tokens_to_ids = new Map(Object.entries(vocabulary));
  const vocab: string[] = [];
  for (const [token, id] of tokens_to_ids) vocab[id] = token;
  const unknownId = typeof unknown === 'string' ? tokens_to_ids.get(unknown) : undefined;
  return Object.assign((words: readonly string[]) => [...words], {
    vocab,
    tokens_to_ids,
    ...(typeof unknown === 'string' && { unk_token: unknown }),
    ...(unknownId !== undefined && { unk_token_id: unknownId }),
  });
}

/** What the library stumbles over while it works is wrong in the file. @throws TransformerError `bad_checkpoint` */
export function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TransformerError) throw error;
    return fail('bad_checkpoint', `${file} cannot be used: ${(error as Error).message}`, error);
  }
}
