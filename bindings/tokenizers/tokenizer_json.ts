/** Checks a tokenizer.json, because the library does not. */

import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail, messageOf, TransformerError } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import type { AddedToken } from './codec.js';
import { checkPattern } from './patterns.js';
import { checkTokenId } from './token_id.js';
import { longestPiece } from './unigram.js';

export interface TokenizerJson {
  readonly normalizer: JsonObject | null;
  readonly preTokenizer: JsonObject | null;
  readonly model: JsonObject;
  readonly postProcessor: JsonObject | null;
  readonly decoder: JsonObject | null;
  readonly added: readonly AddedToken[];
}

/**
 * @param file that the JSON comes from, for messages
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export function checkTokenizerJson(json: JsonObject, file: string): TokenizerJson {
  const entry = (name: string) => {
    checkSteps(json[name], file);
    const count = countSteps(json[name]);
    if (count > mostParts)
      fail('unsupported', `${file}: the ${name} has ${count} steps; at most ${mostParts} are supported`);
    return (json[name] ?? null) as JsonObject | null;
  };
  return {
    normalizer: entry('normalizer'),
    preTokenizer: entry('pre_tokenizer'),
    model: checkModel(json.model, file),
    postProcessor: entry('post_processor'),
    decoder: entry('decoder'),
    added: checkAdded(json.added_tokens ?? [], file),
  };
}

/** Steps of a sequence, or pieces of a template; published files have up to ten. */
const mostParts = 100;

/** Letters that a step writes in place of others; published ones write one. */
const longestContent = 1000;

/** Checks a step, and those of a sequence. */
function checkSteps(step: unknown, file: string): void {
  if (!isJsonObject(step)) return;
  checkPattern(step, file);
  checkLength(step, file);
  const { type, content, prepend, replacement, single, pair } = step;
  for (const text of [content, prepend, replacement])
    if (typeof text === 'string' && text.length > longestContent)
      fail(
        'unsupported',
        `${file}: ${type} writes ${text.length} characters; at most ${longestContent} are supported`,
      );
  for (const list of [step.normalizers, step.pretokenizers, step.decoders, step.processors, single, pair]) {
    if (!Array.isArray(list)) continue;
    if (list.length > mostParts)
      fail('unsupported', `${file}: ${type} has ${list.length} parts; at most ${mostParts} are supported`);
    for (const inner of list) checkSteps(inner, file);
  }
  for (const template of [single, pair]) checkTemplate(template, file);
}

/** All steps, those of sequences within sequences too. */
function countSteps(step: unknown): number {
  if (!isJsonObject(step)) return 0;
  const inner = [step.normalizers, step.pretokenizers, step.decoders, step.processors].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return inner.reduce((sum, part) => sum + countSteps(part), 1);
}

/** A text cannot be cut into pieces of no letters. */
function checkLength({ type, length }: JsonObject, file: string): void {
  if (type === 'FixedLength' && length !== undefined && !(Number.isInteger(length) && Number(length) > 0))
    fail(
      'bad_checkpoint',
      `${file}: the length of ${type} must be a positive integer, got ${describe(length)}`,
    );
}

/** A text that a template repeats would grow with each template of a sequence. */
function checkTemplate(template: unknown, file: string): void {
  if (!Array.isArray(template)) return;
  const texts = template.map((piece) => piece?.Sequence?.id).filter((id) => id !== undefined);
  if (new Set(texts).size < texts.length)
    fail('unsupported', `${file}: a template of the post_processor repeats a text`);
}

/** Letters of a word for which WordPiece looks up each part; published files say 100. */
const longestWord = 1000;

const modelTypes: readonly unknown[] = ['WordPiece', 'BPE', 'Unigram', 'WordLevel', undefined];

function checkModel(model: unknown, file: string): JsonObject {
  if (!isJsonObject(model) || typeof model.vocab !== 'object' || model.vocab === null) {
    return fail('bad_checkpoint', `${file} has no model with a vocabulary`);
  }
  const { type, vocab } = model;
  if (!modelTypes.includes(type)) fail('unsupported', `${file}: model type '${type}' is not supported`);
  if (type === 'Unigram' && model.byte_fallback === true)
    fail('unsupported', `${file}: a unigram model with byte_fallback is not supported`);
  const longest = model.max_input_chars_per_word ?? 0;
  if (typeof longest !== 'number' || longest > longestWord)
    fail(
      'unsupported',
      `${file}: max_input_chars_per_word is ${describe(longest)}; at most ${longestWord} is supported`,
    );
  if (Array.isArray(vocab)) {
    const wrong = vocab.findIndex((entry) => typeof entry?.[0] !== 'string' || !Number.isFinite(entry[1]));
    if (wrong >= 0) fail('bad_checkpoint', `${file}: token ${wrong} is not a pair of a string and a score`);
  } else {
    for (const [token, id] of vocab instanceof Map ? vocab : Object.entries(vocab))
      checkTokenId(id, token, file);
  }
  if (type !== 'WordLevel' && type !== 'BPE' && !('merges' in model)) checkPieces(vocab, file);
  return model;
}

/** What is looked up letter by letter. */
function checkPieces(vocab: object, file: string): void {
  const pieces: readonly string[] = Array.isArray(vocab) ? vocab.map(([text]) => text) : Object.keys(vocab);
  const long = pieces.find(({ length }) => length > longestPiece);
  if (long !== undefined)
    fail(
      'unsupported',
      `${file}: a token has ${long.length} characters; at most ${longestPiece} are supported`,
    );
}

function checkAdded(added: unknown, file: string): AddedToken[] {
  if (!Array.isArray(added)) return fail('bad_checkpoint', `${file}: added_tokens is not a list`);
  return added.map((token) => {
    const content = isJsonObject(token) ? token.content : undefined;
    if (typeof content !== 'string' || content === '')
      return fail('bad_checkpoint', `${file}: an added token has no content`);
    const id = checkTokenId(token.id, content, file);
    const special = Boolean(token.special);
    return {
      id,
      content,
      special,
      lstrip: Boolean(token.lstrip),
      rstrip: Boolean(token.rstrip),
      single_word: Boolean(token.single_word),
      normalized: Boolean(token.normalized ?? !special),
    };
  });
}

/** Reports an error inside of the library as a fault of the file. @throws TransformerError `bad_checkpoint` */
export function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    return blameFile(file, error);
  }
}

/** The same for what pauses. @throws TransformerError `bad_checkpoint`; the signal's reason */
export const inFileLater = <T>(file: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
  work().catch((error: unknown) => {
    signal?.throwIfAborted();
    return blameFile(file, error);
  });

function blameFile(file: string, error: unknown): never {
  if (error instanceof TransformerError) throw error;
  return fail('bad_checkpoint', `${file} cannot be used: ${messageOf(error)}`, error);
}
