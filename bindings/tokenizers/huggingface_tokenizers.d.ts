/**
 * The part of the tokenizer library's public interface that is used. Its own declarations do not work with a compiler
 * that resolves modules as Node.js does.
 */
declare module '@huggingface/tokenizers' {
  /** A step's entry in tokenizer.json. */
  type Entry = Readonly<Record<string, unknown>>;

  export class Normalizer {
    constructor(entry: Entry);
    normalize(text: string): string;
  }
  export class LowercaseNormalizer extends Normalizer {}
  export class NFCNormalizer extends Normalizer {}
  export class NFDNormalizer extends Normalizer {}
  export class NFKCNormalizer extends Normalizer {}
  export class NFKDNormalizer extends Normalizer {}
  export class PrecompiledNormalizer extends Normalizer {}
  export class PrependNormalizer extends Normalizer {}
  export class ReplaceNormalizer extends Normalizer {}
  export class StripAccentsNormalizer extends Normalizer {}
  export class StripNormalizer extends Normalizer {}

  export class PreTokenizer {
    constructor(entry: Entry);
    pre_tokenize(text: string, options?: { section_index?: number }): string[];
  }
  export class BertPreTokenizer extends PreTokenizer {}
  export class DigitsPreTokenizer extends PreTokenizer {}
  export class FixedLengthPreTokenizer extends PreTokenizer {}
  export class MetaspacePreTokenizer extends PreTokenizer {}
  export class PunctuationPreTokenizer extends PreTokenizer {}
  export class ReplacePreTokenizer extends PreTokenizer {}
  export class SplitPreTokenizer extends PreTokenizer {}
  export class WhitespacePreTokenizer extends PreTokenizer {}
  export class WhitespaceSplitPreTokenizer extends PreTokenizer {}

  /** Callable: splits words into tokens. */
  export interface Model {
    (words: readonly string[]): string[];
    readonly vocab: string[];
    readonly tokens_to_ids: Map<string, number>;
    readonly unk_token?: string;
    readonly unk_token_id?: number;
    readonly end_of_word_suffix?: string;
  }
  export interface Encoder extends Model {
    fuse_unk: boolean;
    encode(words: readonly string[]): string[];
  }
  export interface BytePairs extends Encoder {
    readonly merges: unknown[];
    /** Pairs as JSON. */
    readonly bpe_ranks: Map<string, number>;
  }
  export const BPE: new (entry: Entry) => BytePairs;

  export class PostProcessor {
    constructor(entry: Entry);
    post_process(
      tokens: readonly string[],
      pair: readonly string[] | null,
      addSpecialTokens: boolean,
    ): { tokens: string[]; token_type_ids?: number[] };
  }
  export class BertProcessingPostProcessor extends PostProcessor {}
  export class ByteLevelPostProcessor extends PostProcessor {}
  export class RobertaProcessingPostProcessor extends PostProcessor {}
  export class SequencePostProcessor extends PostProcessor {}
  export class TemplateProcessingPostProcessor extends PostProcessor {}

  export class Decoder {
    constructor(entry: Entry);
    added_tokens: readonly object[];
    decode_chain(tokens: readonly string[]): string[];
  }
  export class BPEDecoder extends Decoder {}
  export class ByteLevelDecoder extends Decoder {}
  export class CTCDecoder extends Decoder {}
  export class FuseDecoder extends Decoder {}
  export class ReplaceDecoder extends Decoder {}
  export class StripDecoder extends Decoder {}
  export class WordPieceDecoder extends Decoder {}
}
