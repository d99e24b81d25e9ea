/** What a caller gives to generate from, made into token ids for the encoder and the decoder. */

import { vocabularyOf } from '../checkpoint/families/model_shape.js';
import type { Encoding } from '../checkpoint/tokenizers/tokenizer.js';
import { fail } from '../engine/errors.js';
import type { TensorData } from '../engine/tensor.js';
import { encodeInput } from './front_end.js';
import type { RowInput } from './generation_inputs.js';
import { forcedBosOf } from './languages.js';
import { checkIds, hasDecoder, hasEncoder, type Loaded, requireTokenizer } from './loaded.js';
import type { ReadOptions } from './options.js';

/** A text, or its token ids. */
export type TextOrIds = string | ArrayLike<number>;

/** What the encoder reads: token ids, or the vectors [1, time, dModel] of an image or of sound. */
export type Source = Int32Array | TensorData;

/** One input, ready for the engine. */
export interface Input {
  readonly encoding: Encoding;
  /** What the encoder reads; `null` for a decoder alone. */
  readonly source: Source | null;
  /** Tokens or frames of it. */
  readonly sourceLength: number;
  /** What the decoder begins with. */
  readonly prompt: Int32Array;
  /** So much padding stands before the prompt for the rules to see; the decoder does not read it. */
  readonly padding: number;
  readonly padId: number;
}

/** Whether several inputs were given: an array of texts or of lists of ids, not one list of ids. */
export function isMany(input: TextOrIds | readonly TextOrIds[]): input is readonly TextOrIds[] {
  return Array.isArray(input) && input.length > 0 && typeof input[0] !== 'number';
}

/**
 * @param name of the input, for messages
 * @throws TransformerError `invalid_argument`, `unsupported`
 */
export async function prepareInput(
  model: Loaded,
  given: TextOrIds | RowInput,
  options: ReadOptions,
  name: string,
): Promise<Input> {
  if (!hasDecoder(model)) fail('unsupported', 'the model has no decoder, so it cannot generate text');
  const { plan } = model;
  const row = isRow(given) ? given : null;
  const input = isRow(given) ? (given.ids ?? []) : given;
  const padId = model.generation.padTokenId ?? 0;
  if (row?.features || model.frontEnd) {
    const vectors = await encodeFeatures(model, row);
    const prompt = decoderPrompt(model, options, row);
    const sourceLength = vectors.shape[1] ?? 0;
    return { encoding: withoutText([]), source: vectors, sourceLength, prompt, padding: 0, padId };
  }
  const encoding = encode(model, input, { name, options });
  if (!hasEncoder(model)) {
    const prompt = [...encoding.ids, ...encodePrefix(model, options.prefix)];
    checkIds(prompt, name, vocabularyOf(plan, 'decoder'), plan.maxPositions);
    const padding = row?.padding ?? 0;
    return { encoding, source: null, sourceLength: 0, prompt: Int32Array.from(prompt), padding, padId };
  }
  checkIds(encoding.ids, name, vocabularyOf(plan, 'encoder'), plan.maxPositions);
  const source = Int32Array.from(encoding.ids);
  const prompt = decoderPrompt(model, options, row);
  return { encoding, source, sourceLength: source.length, prompt, padding: 0, padId };
}

const isRow = (input: TextOrIds | RowInput): input is RowInput =>
  typeof input === 'object' && 'padding' in input;

async function encodeFeatures(model: Loaded, row: RowInput | null): Promise<TensorData> {
  if (!model.frontEnd) fail('unsupported', 'this model takes no inputFeatures');
  if (!row?.features) fail('invalid_argument', 'the model reads sound: give { inputFeatures }');
  return encodeInput(model, model.frontEnd, row.features);
}

/** What the decoder of a model with an encoder begins with: its start token, then what was given or is wanted. */
function decoderPrompt(model: Loaded, options: ReadOptions, row: RowInput | null): Int32Array {
  const start = model.generation.decoderStartTokenId ?? model.plan.tokens.decoderStart;
  if (start === null)
    fail('bad_checkpoint', 'config.json has no decoder_start_token_id, so the decoder cannot begin');
  const prefix = encodePrefix(model, options.prefix);
  // The language comes first, and is forced only where nothing else is there.
  const language = typeof options.prefix === 'string' ? forcedBosOf(model.tokenizer, options) : null;
  const isLed = language !== null && prefix.length > 0;
  const given = [...(row?.decoderIds ?? []), ...(isLed ? [language] : []), ...prefix];
  const rest = given.length > 0 ? given : forcedPrefix(model);
  const prompt = rest[0] === start ? rest : [start, ...rest];
  const vocabulary = vocabularyOf(model.plan, 'decoder');
  checkIds(prompt, 'the prefix, with what the decoder begins with,', vocabulary, model.plan.maxPositions);
  return Int32Array.from(prompt);
}

/** The tokens after the first that the checkpoint wants the decoder to begin with. */
function forcedPrefix({ generation }: Loaded): number[] {
  return generation.forcedDecoderIds.map(
    (id) =>
      id ??
      fail(
        'invalid_argument',
        'the model does not say all of what its decoder begins with (language and task); give it as prefix',
      ),
  );
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
export function withLanguages(model: Loaded, options: ReadOptions): ReadOptions {
  const forced = options.forcedBosTokenId ?? forcedBosOf(model.tokenizer, options);
  return forced === null ? options : { ...options, forcedBosTokenId: forced };
}

function encode(
  model: Loaded,
  input: TextOrIds,
  { name, options: { srcLang, tgtLang } }: { name: string; options: ReadOptions },
): Encoding {
  if (typeof input === 'string') {
    if (input.trim() === '') fail('invalid_argument', `${name} is an empty text`);
    return requireTokenizer(model, 'it cannot read text').encode(input, { srcLang, tgtLang });
  }
  const isIds = Array.isArray(input) || ArrayBuffer.isView(input);
  if (!isIds) fail('invalid_argument', `${name} must be a text or a list of token ids, got ${typeof input}`);
  const ids = Array.from(input as ArrayLike<number>);
  return withoutText(ids, model.tokenizer ? sourceNamesOf(model, ids) : []);
}

function withoutText(ids: number[], tokens: string[] = []): Encoding {
  return { ids, tokens, offsets: ids.map(() => null), unknownWords: [], typeIds: ids.map(() => 0) };
}

function encodePrefix(model: Loaded, prefix: ReadOptions['prefix']): number[] {
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
