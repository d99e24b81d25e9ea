/** Ranking: which of some texts answer a query best, by a model that reads the query and a text together. */

import type { Loaded } from '../checkpoint/loaded.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { readJson } from '../files/read_json.js';
import { fail } from '../values/errors.js';
import { choiceOf, integerFrom, type ReadersOf, readFields, toBe, toSignal } from '../values/options.js';
import {
  checkText,
  inOrder,
  type Row,
  requireEncoder,
  roomOf,
  rowReader,
  runRows,
  select,
} from './batch_encoder.js';
import { largest, sigmoid } from './labels.js';
import { isYesNoRanker, yesScores } from './rank_by_yes.js';

export interface RankOptions {
  /** How many texts to return, best first; default: all. */
  topK?: number;
  /** How the logit of a pair becomes its score; default: as config.json says, else `'sigmoid'`. */
  activation?: 'sigmoid' | 'none';
  /** A pair with more tokens is cut at the end of its longer text; default: the model's maximum. */
  maxLength?: number;
  /** The question to a model that answers yes or no (Qwen3's rerankers), as a sentence. */
  instruction?: string;
  signal?: AbortSignal;
}

/** A text and how well it answers the query. */
export interface RankedText {
  /** Its place among the texts given. */
  index: number;
  score: number;
  text: string;
}

const readers = {
  topK: integerFrom(1),
  activation: choiceOf(['sigmoid', 'none']),
  maxLength: integerFrom(8),
  instruction: toBe('a string', (value): value is string => typeof value === 'string'),
  signal: toSignal,
} satisfies ReadersOf<RankOptions>;

/**
 * The texts, best first; of equal ones the first.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`; the signal's reason.
 */
export async function rank(
  model: Loaded,
  query: string,
  texts: readonly string[],
  given: RankOptions = {},
): Promise<RankedText[]> {
  const options = readFields(given, readers);
  checkText(query, 'the query');
  if (!Array.isArray(texts)) fail('invalid_argument', 'texts must be a list of strings');
  for (const [i, text] of texts.entries()) checkText(text, `texts[${i}]`);
  const { topK = texts.length, signal } = options;
  const room = Math.min(roomOf(model), options.maxLength ?? (await usualRoom(model)));
  const asks = isYesNoRanker(model);
  if (options.instruction !== undefined && !asks)
    fail('unsupported', 'this model takes no instruction: it reads the query and the text alone');
  if (options.activation !== undefined && asks)
    fail('unsupported', 'this model takes no activation: its scores are the probabilities of yes');
  const scores = asks
    ? await yesScores(model, { query, texts, room, instruction: options.instruction, signal })
    : await pairScores(model, { query, texts, room, activation: options.activation, signal });
  return largest(scores, topK).map((index) => ({
    index,
    score: scores[index] ?? 0,
    text: texts[index] ?? '',
  }));
}

/** The length to which the tokenizer cuts, which may be less than the model takes. */
async function usualRoom({ folder }: Loaded): Promise<number> {
  const length = (await readJson(folder, 'tokenizer_config.json'))?.model_max_length;
  return typeof length === 'number' && length > 0 ? length : Number.POSITIVE_INFINITY;
}

interface Pairs {
  readonly query: string;
  readonly texts: readonly string[];
  readonly room: number;
  readonly activation: RankOptions['activation'];
  readonly signal: AbortSignal | undefined;
}

/** By a classifier with one label, as sentence-transformers' CrossEncoder. */
async function pairScores(
  model: Loaded,
  { query, texts, room, activation, signal }: Pairs,
): Promise<number[]> {
  const tokenizer = requireEncoder(model, 'rank texts', 'classifiers');
  const [name] = Array.isArray(model.config.architectures) ? model.config.architectures : [];
  if (!/ForSequenceClassification$/.test(`${name}`))
    fail('unsupported', `a model of the class '${name}' does not rank texts; embed finds similar ones`);
  const how = activation ?? activationOf(model.config);
  const read = rowReader(tokenizer, signal);
  const rows = await inOrder(texts, async (text) => cutPair(await read(query, text), room));
  const scores: number[] = [];
  for await (const { vector } of runRows(model, rows, 'logits', signal)) {
    const logits = vector(0);
    if (logits.length !== 1)
      fail('unsupported', `the model has ${logits.length} labels; ranking needs one, classify gives all`);
    scores.push(...(how === 'none' ? logits : sigmoid(logits)));
  }
  return scores;
}

/** The class of sentence-transformers, new or old; without one, a single label is a probability. */
function activationOf(config: JsonObject): 'sigmoid' | 'none' {
  const { sentence_transformers: settings, sbert_ce_default_activation_function: old } = config;
  const given = (isJsonObject(settings) ? settings.activation_fn : undefined) ?? old ?? 'Sigmoid';
  const name = `${given}`.split('.').at(-1);
  if (name === 'Sigmoid') return 'sigmoid';
  if (name === 'Identity') return 'none';
  return fail(
    'unsupported',
    `config.json: the activation '${given}' is not supported; pass activation: 'sigmoid' or 'none'`,
  );
}

/** Cuts both texts as Python's tokenizers do, "longest first": no more of the shorter one than needed. */
export function cutPair(row: Row, room: number): Row {
  const lengthOf = (source: number) => row.sources.filter((one) => one === source).length;
  const lengths = [lengthOf(0), lengthOf(1)] as const;
  const left = room - (row.ids.length - lengths[0] - lengths[1]);
  if (lengths[0] + lengths[1] <= left) return row;
  if (left < 2) fail('invalid_argument', `${room} tokens leave no room for a pair of texts`);
  const half = Math.floor(left / 2);
  const shorter = Math.min(...lengths, half);
  const isFirstShorter = lengths[0] <= lengths[1];
  const kept = isFirstShorter ? [shorter, left - shorter] : [left - shorter, shorter];
  const places = (source: number) => [...row.ids.keys()].filter((token) => row.sources[token] === source);
  const removed = new Set([0, 1].flatMap((source) => places(source).slice(kept[source])));
  return select(row, (token) => !removed.has(token));
}
