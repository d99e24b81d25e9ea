/** Prepares inputs for generation: token ids for the encoder and the decoder. */

import { checkIds, hasDecoder, hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { mediaOf, withoutBatch } from '../insight/media.js';
import { type Front, frontOf, lengthOf, type Media } from '../plans/front_end_config.js';
import { vocabularyOf } from '../plans/model_shape.js';
import type { Encoding } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import type { RowInput } from './input_tensors.js';
import { forcedBosOf } from './languages.js';
import type { ReadOptions } from './options.js';
import { taskSettings } from './task_settings.js';

/** A text, or its token ids. */
export type TextOrIds = string | ArrayLike<number>;

/** A text and its tokens, which need not be made again. */
export interface EncodedText {
  readonly text: string;
  readonly encoding: Encoding;
}

/** What a generation begins with. */
export type Given = TextOrIds | EncodedText | RowInput;

/** How many letters have to be made tokens. */
export const lettersOf = (input: Given): number => (typeof input === 'string' ? input.length : 0);

/** Input of the encoder: token ids, or a picture or sound. */
export type Source = Int32Array | Media;

/** One input, ready for the engine. */
export interface Input {
  /** As the caller gave it; `null` for ids and for vectors. */
  readonly text: string | null;
  readonly encoding: Encoding;
  /** Input of the encoder; `null` for a decoder alone. */
  readonly source: Source | null;
  /** Its number of tokens or frames. */
  readonly sourceLength: number;
  /** The token ids that the decoder begins with. */
  readonly promptIds: Int32Array;
  /** Number of padding tokens before the prompt, which repetition rules see but the decoder does not read. */
  readonly padding: number;
  readonly padId: number;
  /** How many of the prompt's last ids are the beginning of the answer; absent: none. */
  readonly prefixLength?: number;
  /** The tokens that can be chosen; absent: all, or those of the option. */
  readonly shortlist?: Int32Array | undefined;
}

/** Whether there are several inputs: an array of texts or of lists of ids, rather than a single list of ids. */
export function isMany(input: TextOrIds | readonly TextOrIds[]): input is readonly TextOrIds[] {
  return Array.isArray(input) && input.length > 0 && typeof input[0] !== 'number';
}

/**
 * @param name what error messages call the input
 * @throws TransformerError `invalid_argument`, `unsupported`
 */
export async function prepareInput(
  model: Loaded,
  given: Given,
  options: ReadOptions,
  name: string,
): Promise<Input> {
  if (!hasDecoder(model)) fail('unsupported', 'the model has no decoder, so it cannot generate text');
  const { plan } = model;
  const row = isRow(given) ? given : null;
  const padId = model.generation.padTokenId ?? 0;
  const front = frontOf(plan);
  if (front) {
    const source = featuresOf(front, row);
    const own = await decoderPrompt(model, options, row);
    const sourceLength = lengthOf(front, source.values.shape);
    return { text: null, encoding: withoutText([]), source, sourceLength, ...own, padding: 0, padId };
  }
  const { text, encoding } = await encoded(model, row ? (row.inputIds ?? []) : given, { name, options });
  if (!hasEncoder(model)) {
    const prefix = await encodePrefix(model, options);
    const promptIds = [...encoding.ids, ...prefix];
    checkIds(promptIds, name, vocabularyOf(plan, 'decoder'), plan.maxPositions);
    const padding = row?.padding ?? 0;
    const ids = Int32Array.from(promptIds);
    const own = { promptIds: ids, prefixLength: prefix.length };
    return { text, encoding, source: null, sourceLength: 0, ...own, padding, padId };
  }
  checkIds(encoding.ids, name, vocabularyOf(plan, 'encoder'), plan.maxPositions);
  const sourceIds = Int32Array.from(encoding.ids);
  const own = await decoderPrompt(model, options, row);
  const sourceLength = sourceIds.length;
  const shortlist = usesShortlist(options) ? model.shortlist?.candidates(sourceIds) : undefined;
  return { text, encoding, source: sourceIds, sourceLength, ...own, padding: 0, padId, shortlist };
}

/** Not where the caller tells which tokens can be chosen. */
const usesShortlist = ({ lexicalShortlist = true, shortlist, prefixAllowedTokens, constrain }: ReadOptions) =>
  lexicalShortlist && shortlist === undefined && prefixAllowedTokens === undefined && constrain === undefined;

const isRow = (input: Given): input is RowInput =>
  typeof input === 'object' && input !== null && 'padding' in input;

function featuresOf(front: Front, row: RowInput | null): Media {
  const kind = front.input === 'pixelValues' ? 'images' : 'audio';
  const features =
    row?.features ?? fail('invalid_argument', `this model takes ${kind}: pass { ${front.input} }`);
  return mediaOf(front, withoutBatch(front, features), { attentionMask: row?.mask });
}

/** The decoder's prompt for a model with an encoder: the start token, then the caller's or the checkpoint's tokens. */
async function decoderPrompt(
  model: Loaded,
  options: ReadOptions,
  row: RowInput | null,
): Promise<{ promptIds: Int32Array; prefixLength: number }> {
  const start = model.generation.decoderStartTokenId ?? model.plan.tokens.decoderStart;
  if (start === null)
    fail('bad_checkpoint', 'config.json has no decoder_start_token_id, which the decoder needs to start');
  const prefix = await encodePrefix(model, options);
  const before = row?.decoderInputIds ?? [];
  const given = [...before, ...(before.length > 1 ? [] : tokenBefore(prefix, model, options)), ...prefix];
  const rest = given.length > 0 ? given : forcedPrefix(model);
  const promptIds = rest[0] === start ? rest : [start, ...rest];
  const vocabulary = vocabularyOf(model.plan, 'decoder');
  checkIds(
    promptIds,
    'the prompt of the decoder (start token and prefix)',
    vocabulary,
    model.plan.maxPositions,
  );
  return { promptIds: Int32Array.from(promptIds), prefixLength: prefix.length };
}

/**
 * The token that the decoder has to write first, such as that of a language: it precedes a prefix that is a text.
 * Without a prefix it is forced as the first generated token instead.
 */
function tokenBefore(prefix: readonly number[], model: Loaded, options: ReadOptions): number[] {
  if (typeof options.prefix !== 'string' || prefix.length === 0) return [];
  const first = firstTokenOf(model, options) ?? model.generation.options.forcedBosTokenId ?? prefix[0];
  return first === undefined || first === prefix[0] ? [] : [first];
}

/** The tokens after the start token with which the checkpoint's decoder begins. */
function forcedPrefix({ generation }: Loaded): number[] {
  return generation.forcedDecoderIds.map(
    (id) =>
      id ??
      fail(
        'invalid_argument',
        'the checkpoint does not determine the first tokens of the decoder (language and task); pass them as prefix',
      ),
  );
}

/** Tokens in the source vocabulary, which may differ from the target vocabulary. */
export function sourceTokensOf({ tokenizer }: Loaded, ids: ArrayLike<number>): string[] {
  return Array.from(ids, (id) => tokenizer?.tokenOf(id, { isSource: true }) ?? `${id}`);
}

/**
 * The options with the first token that the target language requires, unless the caller forces another.
 *
 * @throws TransformerError `invalid_argument` for an unknown language, `unsupported` for a model without languages.
 */
export function withLanguages(model: Loaded, options: ReadOptions): ReadOptions {
  const forced = firstTokenOf(model, options);
  return forced === null ? options : { ...options, forcedBosTokenId: forced };
}

const firstTokenOf = (model: Loaded, options: ReadOptions): number | null =>
  options.forcedBosTokenId ?? forcedBosOf(model.tokenizer, options);

async function encoded(
  model: Loaded,
  given: Given,
  { name, options }: { name: string; options: ReadOptions },
): Promise<{ readonly text: string | null; readonly encoding: Encoding }> {
  if (isEncoded(given)) return given;
  if (typeof given === 'string') {
    if (given.trim() === '') fail('invalid_argument', `${name} is an empty text`);
    return encodeText(model, given, options);
  }
  const isIds = Array.isArray(given) || ArrayBuffer.isView(given);
  if (!isIds)
    fail('invalid_argument', `${name} must be a string or a list of token ids, got ${describe(given)}`);
  const ids = Array.from(given as ArrayLike<number>);
  return { text: null, encoding: withoutText(ids, model.tokenizer ? sourceTokensOf(model, ids) : []) };
}

const isEncoded = (given: Given): given is EncodedText =>
  typeof given === 'object' && given !== null && 'encoding' in given;

/**
 * A text as the model reads it, after the prefix of its task.
 *
 * @throws TransformerError `unsupported` without a tokenizer; the signal's reason.
 */
export async function encodeText(
  model: Loaded,
  text: string,
  { srcLang, tgtLang, task, signal }: ReadOptions,
): Promise<EncodedText> {
  const whole = taskSettings(model, task).prefix + text;
  const tokenizer = requireTokenizer(model, 'it cannot read text');
  return { text, encoding: await tokenizer.encodeLong(whole, { srcLang, tgtLang }, signal) };
}

function withoutText(ids: number[], tokens: string[] = []): Encoding {
  const offsets = ids.map(() => null);
  return { ids, tokens, offsets, unknownWords: [], typeIds: ids.map(() => 0), wordIds: offsets };
}

async function encodePrefix(model: Loaded, { prefix, signal }: ReadOptions): Promise<number[]> {
  if (prefix === undefined || prefix === '') return [];
  if (typeof prefix !== 'string') return Array.from(prefix);
  const tokenizer = requireTokenizer(model, 'it cannot read the prefix');
  const asTarget = { addSpecialTokens: false, isTarget: true };
  const { ids, unknownWords } = await tokenizer.encodeLong(prefix, asTarget, signal);
  if (unknownWords.length > 0) {
    fail(
      'invalid_argument',
      `the prefix contains words that are not in the vocabulary: ${unknownWords.join(', ')}`,
    );
  }
  return ids;
}
