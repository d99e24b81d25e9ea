/** What a caller gives to generate from, made into token ids for the encoder and the decoder. */

import { forcedBosOf } from '../checkpoint/tokenizers/languages.js';
import type { Encoding } from '../checkpoint/tokenizers/tokenizer.js';
import { fail } from '../engine/errors.js';
import { checkIds, hasDecoder, hasEncoder, type Loaded, requireTokenizer } from './loaded.js';
import type { GenerationOptions } from './options.js';

/** A text, or its token ids. */
export type TextOrIds = string | ArrayLike<number>;

/** One input, ready for the engine. */
export interface Input {
  readonly encoding: Encoding;
  /** What the encoder reads; `null` for a decoder alone. */
  readonly source: Int32Array | null;
  /** What the decoder begins with. */
  readonly prompt: Int32Array;
}

/** Whether several inputs were given: an array of texts or of lists of ids, not one list of ids. */
export function isMany(input: TextOrIds | readonly TextOrIds[]): input is readonly TextOrIds[] {
  return Array.isArray(input) && input.length > 0 && typeof input[0] !== 'number';
}

/**
 * @param name of the input, for messages
 * @throws TransformerError `invalid_argument`, `unsupported`
 */
export function prepareInput(
  model: Loaded,
  input: TextOrIds,
  options: GenerationOptions,
  name: string,
): Input {
  if (!hasDecoder(model)) fail('unsupported', 'the model has no decoder, so it cannot generate text');
  const { srcVocabSize, tgtVocabSize } = model.plan.engine;
  const { maxPositions } = model.plan;
  const encoding = encode(model, input, { name, options });
  const prefix = encodePrefix(model, options.prefix);
  if (!hasEncoder(model)) {
    const prompt = [...encoding.ids, ...prefix];
    checkIds(prompt, name, tgtVocabSize, maxPositions);
    return { encoding, source: null, prompt: Int32Array.from(prompt) };
  }
  checkIds(encoding.ids, name, srcVocabSize, maxPositions);
  const start = model.plan.tokens.decoderStart;
  if (start === null)
    fail('bad_checkpoint', 'config.json has no decoder_start_token_id, so the decoder cannot begin');
  // The language comes first, and is forced only where nothing else is there.
  const language = typeof options.prefix === 'string' ? forcedBosOf(model.tokenizer, options) : null;
  const prompt = [start, ...(language === null || prefix.length === 0 ? [] : [language]), ...prefix];
  checkIds(prompt, 'the prefix, with what the decoder begins with,', tgtVocabSize, maxPositions);
  return { encoding, source: Int32Array.from(encoding.ids), prompt: Int32Array.from(prompt) };
}

/** Tokens as the vocabulary of the model's inputs has them, which may be another than that of its answers. */
export function sourceNamesOf({ tokenizer }: Loaded, ids: ArrayLike<number>): string[] {
  return Array.from(ids, (id) => tokenizer?.tokenOf(id, { isSource: true }) ?? `${id}`);
}

/**
 * The options with what a wanted language makes of them: a first token, unless the caller forces another.
 *
 * @throws TransformerError `invalid_argument` for a language that the model does not know, `unsupported` where it knows none.
 */
export function withLanguages(model: Loaded, options: GenerationOptions): GenerationOptions {
  const forced = options.forcedBosTokenId ?? forcedBosOf(model.tokenizer, options);
  return forced === null ? options : { ...options, forcedBosTokenId: forced };
}

function encode(
  model: Loaded,
  input: TextOrIds,
  { name, options: { srcLang, tgtLang } }: { name: string; options: GenerationOptions },
): Encoding {
  if (typeof input === 'string') {
    if (input.trim() === '') fail('invalid_argument', `${name} is an empty text`);
    return requireTokenizer(model, 'it cannot read text').encode(input, { srcLang, tgtLang });
  }
  const isIds = Array.isArray(input) || ArrayBuffer.isView(input);
  if (!isIds) fail('invalid_argument', `${name} must be a text or a list of token ids, got ${typeof input}`);
  const ids = Array.from(input as ArrayLike<number>);
  const tokens = model.tokenizer ? sourceNamesOf(model, ids) : [];
  const none = { offsets: ids.map(() => null), unknownWords: [], typeIds: ids.map(() => 0) };
  return { ids, tokens, ...none };
}

function encodePrefix(model: Loaded, prefix: GenerationOptions['prefix']): number[] {
  if (prefix === undefined || prefix === '') return [];
  if (typeof prefix !== 'string') return Array.from(prefix);
  const tokenizer = requireTokenizer(model, 'it cannot read the prefix');
  const { ids, unknownWords } = tokenizer.encode(prefix, { addSpecialTokens: false, isTarget: true });
  if (unknownWords.length > 0) {
    fail(
      'invalid_argument',
      `the prefix holds words that the vocabulary does not have: ${unknownWords.join(', ')}`,
    );
  }
  return ids;
}
