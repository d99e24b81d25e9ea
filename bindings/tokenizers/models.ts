/** The models of a tokenizer.json: how words are cut into tokens. */

import type { Steps } from '../engine/steps.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import { BytePairModel, byteIds } from './byte_pairs.js';
import { PairTable } from './pair_table.js';
import { StepEntry } from './step_entry.js';
import { checkTokenId } from './token_id.js';
import { type Cut, longestPiece, UnigramModel, unknownPenalty } from './unigram.js';
import { WordPieceModel } from './wordpiece.js';

export interface Model {
  readonly isBpe: boolean;
  /** The prefix of tokens inside a word. */
  readonly mark: string;
  readonly ids: ReadonlyMap<string, number>;
  /** The token of each id. */
  readonly tokens: (string | undefined)[];
  readonly unknownId: number | null;
  /** Whether a token of an unknown word is shown as the word. */
  readonly showsUnknown: boolean;
  /** The tokens of a word, by their places in it. */
  cut(word: string): Steps<readonly Cut[]>;
}

/** Letters of a word for which WordPiece looks up each part; published files say 100. */
const longestWord = 1000;

/**
 * @param settings tokenizer_config.json
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export function* modelOf(entry: unknown, settings: JsonObject, file: string): Steps<Model> {
  if (!isJsonObject(entry) || typeof entry.vocab !== 'object' || entry.vocab === null)
    return fail('bad_checkpoint', `${file} has no model with a vocabulary`);
  // Older files omit the type.
  const type =
    entry.type ??
    (Array.isArray(entry.vocab)
      ? 'Unigram'
      : 'merges' in entry
        ? 'BPE'
        : 'continuing_subword_prefix' in entry
          ? 'WordPiece'
          : 'WordLevel');
  const step = new StepEntry({ ...entry, type }, file);
  switch (type) {
    case 'BPE':
      return yield* bytePairs(step);
    case 'Unigram':
      return unigram(step);
    case 'WordPiece':
      return yield* wordPiece(step);
    case 'WordLevel':
      return yield* wordLevel(step, settings);
    default:
      return step.refuseType('model');
  }
}

/** Entries of a vocabulary that are added without a pause: some milliseconds. */
const entriesAtOnce = 4096;

interface Vocabulary {
  readonly ids: ReadonlyMap<string, number>;
  readonly tokens: (string | undefined)[];
}

/**
 * The tokens of a vocabulary: of a file, an object; of one that is made of another, a map, which need not be made
 * again.
 */
function* vocabularyOf(step: StepEntry): Steps<Vocabulary> {
  const given = step.get('vocab');
  const made = given instanceof Map ? (given as ReadonlyMap<string, number>) : null;
  const ids = new Map<string, number>();
  const tokens: (string | undefined)[] = [];
  const read = isJsonObject(given) ? given : {};
  let count = 0;
  // Without a pair for each of its entries: there are hundreds of thousands.
  for (const token of made?.keys() ?? Object.keys(read)) {
    if (++count % entriesAtOnce === 0) yield;
    const id = checkTokenId(made ? made.get(token) : read[token], token, step.file);
    if (!made) ids.set(token, id);
    tokens[id] = token;
  }
  return { ids: made ?? ids, tokens };
}

function* bytePairs(step: StepEntry): Steps<Model> {
  const { ids, tokens } = yield* vocabularyOf(step);
  const dropout = step.get('dropout') ?? 0;
  if (dropout !== 0) fail('unsupported', `${step.file}: BPE with dropout, which is random, is not supported`);
  const [prefix, suffix] = [step.text('continuing_subword_prefix', ''), step.text('end_of_word_suffix', '')];
  const unknown = step.get('unk_token');
  const unknownId = typeof unknown === 'string' ? (ids.get(unknown) ?? null) : null;
  const model = new BytePairModel({
    ...{ ids, prefix, suffix, unknownId, merges: yield* mergesOf(step, ids, prefix) },
    fusesUnknown: step.flag('fuse_unk', false),
    hasBytes: step.flag('byte_fallback', false),
    ignoresMerges: step.flag('ignore_merges', false),
  });
  const cut = (word: string) => model.cut(word);
  return { isBpe: true, mark: prefix, ids, tokens, unknownId, showsUnknown: false, cut };
}

function* mergesOf(step: StepEntry, ids: ReadonlyMap<string, number>, prefix: string): Steps<PairTable> {
  const merges = step.get('merges') ?? [];
  if (merges instanceof PairTable) return merges;
  if (!Array.isArray(merges)) return fail('bad_checkpoint', `${step.file}: the merges are not a list`);
  const table = new PairTable(merges.length);
  for (const [rank, merge] of merges.entries()) {
    if (rank % entriesAtOnce === entriesAtOnce - 1) yield;
    const pair: unknown = typeof merge === 'string' ? merge.split(' ') : merge;
    const [left, right] = Array.isArray(pair) && pair.length === 2 ? pair : [];
    if (typeof left !== 'string' || typeof right !== 'string')
      return fail('bad_checkpoint', `${step.file}: merge ${rank} is not of two tokens`);
    const [first, second] = [ids.get(left), ids.get(right)];
    const both = ids.get(left + (prefix === '' ? right : right.slice(prefix.length)));
    if (first === undefined || second === undefined || both === undefined) {
      const shown = JSON.stringify(`${left} ${right}`.slice(0, 40));
      return fail(
        'bad_checkpoint',
        `${step.file}: merge ${rank}, ${shown}, needs a token that the vocabulary lacks`,
      );
    }
    table.set(first, second, rank, both);
  }
  return table;
}

function* wordPiece(step: StepEntry): Steps<Model> {
  const { ids, tokens } = yield* vocabularyOf(step);
  checkPieces(ids.keys(), step.file);
  const unknown = step.text('unk_token', '[UNK]');
  const unknownId = ids.get(unknown) ?? null;
  const mark = step.text('continuing_subword_prefix', '##');
  const longest = step.count('max_input_chars_per_word', 100);
  if (longest > longestWord)
    fail(
      'unsupported',
      `${step.file}: max_input_chars_per_word is ${longest}; at most ${longestWord} is supported`,
    );
  const model = new WordPieceModel(ids, { unknownId: unknownId ?? -1, mark, longestWord: longest });
  return {
    ...{ isBpe: false, mark, ids, tokens, unknownId, showsUnknown: false },
    // biome-ignore lint/correctness/useYield: words are short
    *cut(word) {
      return model.cut(word);
    },
  };
}

function* wordLevel(step: StepEntry, settings: JsonObject): Steps<Model> {
  const { ids, tokens } = yield* vocabularyOf(step);
  const unknown = step.get('unk_token') ?? settings.unk_token;
  const unknownId = typeof unknown === 'string' ? (ids.get(unknown) ?? null) : null;
  return {
    ...{ isBpe: false, mark: '', ids, tokens, unknownId, showsUnknown: false },
    // biome-ignore lint/correctness/useYield: nothing is cut
    *cut(word) {
      return [{ begin: 0, end: word.length, id: ids.get(word) ?? unknownId ?? -1 }];
    },
  };
}

function unigram(step: StepEntry): Model {
  const { file } = step;
  const vocab = step.get('vocab');
  if (!Array.isArray(vocab))
    return fail('bad_checkpoint', `${file}: the vocabulary of Unigram is not a list`);
  const wrong = vocab.findIndex((entry) => typeof entry?.[0] !== 'string' || !Number.isFinite(entry[1]));
  if (wrong >= 0) fail('bad_checkpoint', `${file}: token ${wrong} is not a pair of a string and a score`);
  const pieces = vocab.map(([text, score], id) => ({ text: text as string, id, score: score as number }));
  const tokens = pieces.map(({ text }) => text);
  checkPieces(tokens, file);
  const given = step.get('unk_id');
  const unknownId = given === undefined ? null : step.count('unk_id', 0);
  if (unknownId !== null && unknownId >= pieces.length)
    fail('bad_checkpoint', `${file}: the unk_id ${describe(given)} is none of the ${pieces.length} tokens`);
  const least = pieces.reduce((lowest, { score }) => Math.min(lowest, score), Number.MAX_VALUE);
  const unknown = { id: unknownId ?? -1, score: least - unknownPenalty };
  const model = new UnigramModel(pieces, unknown, Float64Array);
  const ids = new Map(pieces.map(({ text, id }) => [text, id]));
  const hasBytes = step.flag('byte_fallback', false);
  return {
    ...{ isBpe: false, mark: '', ids, tokens, unknownId, showsUnknown: true },
    *cut(word) {
      const cuts = yield* model.cut(word);
      return fused(cuts, unknownId).flatMap((cut) => {
        const id = ids.get(word.slice(cut.begin, cut.end));
        const bytes = id === undefined && hasBytes ? byteIds(word.slice(cut.begin, cut.end), ids) : null;
        return bytes ? bytes.map((byte) => ({ ...cut, id: byte })) : [{ ...cut, id: id ?? unknown.id }];
      });
    },
  };
}

/** Unknown characters that follow each other are one token. */
function fused(cuts: readonly Cut[], unknownId: number | null): Cut[] {
  const runs: Cut[] = [];
  for (const cut of cuts) {
    const last = runs.at(-1);
    if (last && cut.id === unknownId && last.id === unknownId)
      runs[runs.length - 1] = { ...last, end: cut.end };
    else runs.push(cut);
  }
  return runs;
}

/** What is looked up letter by letter. */
function checkPieces(pieces: Iterable<string>, file: string): void {
  for (const { length } of pieces)
    if (length > longestPiece)
      fail('unsupported', `${file}: a token has ${length} characters; at most ${longestPiece} are supported`);
}
