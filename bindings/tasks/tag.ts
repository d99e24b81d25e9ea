/** Token classification: names, places, parts of speech. Labels of neighbouring tokens are joined as in Python. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { JsonObject } from '../files/json_object.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';
import { choiceOf, integerFrom, type ReadersOf, readFields, toBe, toSignal } from '../values/options.js';
import {
  checkText,
  cut,
  inOrder,
  type RowOutput,
  requireEncoder,
  roomOf,
  rowReader,
  runRows,
  windows,
} from './batch_encoder.js';
import { labelsOf, largest, softmax } from './labels.js';
import { withoutOverlaps } from './overlaps.js';

const strategies = ['none', 'simple', 'first', 'average', 'max'] as const;

export interface TagOptions {
  /**
   * `'none'` (default): a result for each token. `'simple'`: neighbours with the same label are joined. `'first'`,
   * `'average'`, `'max'`: besides, the tokens of a word get one label: that of the first token, of the mean, of the
   * most certain one.
   */
  aggregationStrategy?: (typeof strategies)[number];
  /** Labels to leave out; default: `['O']`. */
  ignoreLabels?: string[];
  /**
   * Reads a text that is too long for the model in parts which share this many tokens; of groups that overlap, the
   * longest remains. Needs an aggregation strategy. Default: such a text is cut at its end.
   */
  stride?: number;
  signal?: AbortSignal;
}

/** A token or a group of tokens with a label. */
export interface Tagged {
  /** The label of a token. */
  entity?: string;
  /** The label of a group, without `B-` and `I-`. */
  entity_group?: string;
  score: number;
  /** Index of a token among all tokens. */
  index?: number;
  word: string;
  /** Range in the text; `null` where the tokenizer changes the text too much to know. */
  start: number | null;
  end: number | null;
}

const readers = {
  aggregationStrategy: choiceOf(strategies),
  ignoreLabels: toBe(
    'a list of labels',
    (value): value is string[] => Array.isArray(value) && value.every((label) => typeof label === 'string'),
  ),
  stride: integerFrom(0),
  signal: toSignal,
} satisfies ReadersOf<TagOptions>;

/** A token or a word, before neighbours are joined. */
interface Part {
  readonly ids: readonly number[];
  /** As in the vocabulary; of an unknown word, as in the text. */
  readonly tokens: readonly string[];
  readonly scores: readonly number[];
  readonly index: number;
  readonly start: number | null;
  readonly end: number | null;
  readonly isInsideWord: boolean;
}

/**
 * The labelled parts of each text.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`; the signal's reason.
 */
export async function tag(
  model: Loaded,
  texts: readonly string[],
  given: TagOptions = {},
): Promise<Tagged[][]> {
  const options = readFields(given, readers);
  const { aggregationStrategy: strategy = 'none', ignoreLabels = ['O'], stride, signal } = options;
  const tokenizer = requireEncoder(model, 'label the tokens of texts', 'classifiers');
  checkHead(model.config);
  if (stride !== undefined && strategy === 'none')
    fail(
      'invalid_argument',
      "stride needs an aggregationStrategy other than 'none': parts of a text overlap",
    );
  const room = roomOf(model);
  const read = rowReader(tokenizer, signal);
  const rows = await inOrder(texts, async (text) => {
    const row = await read(checkText(text, 'the text'));
    return stride === undefined ? [cut(row, room)] : windows(row, 0, { room, stride, name: 'stride' });
  });
  const places = rows.flatMap((parts, text) => parts.map(() => text));
  const results = texts.map((): Tagged[] => []);
  let next = 0;
  for await (const output of runRows(model, rows.flat(), 'logits', signal)) {
    const place = places[next++] ?? 0;
    const parts = partsOf(tokenizer, texts[place] ?? '', output);
    const labels = labelsOf(model.config, parts[0]?.scores.length ?? 0);
    const found =
      strategy === 'none'
        ? parts.map((part) => tokenResult(part, labels))
        : groups(strategy === 'simple' ? parts : words(parts, strategy), labels, tokenizer);
    const wanted = found.filter((one) => !ignoreLabels.includes(one.entity ?? one.entity_group ?? ''));
    results[place]?.push(...wanted);
  }
  return results.map((found, i) => ((rows[i]?.length ?? 0) > 1 ? withoutOverlaps(found) : found));
}

function checkHead({ architectures }: JsonObject): void {
  const [name] = Array.isArray(architectures) ? architectures : [];
  if (typeof name === 'string' && !/ForTokenClassification$/.test(name))
    fail('unsupported', `a model of the class '${name}' does not label tokens`);
}

function partsOf(tokenizer: Tokenizer, text: string, { row, vector }: RowOutput): Part[] {
  const parts: Part[] = [];
  for (const [index, id] of row.ids.entries()) {
    if (row.sources[index] !== 0) continue;
    const token = row.tokens[index] ?? '';
    const [start, end] = row.offsets[index] ?? [null, null];
    const isUnknown = id === tokenizer.unknownId;
    const isInsideWord = !isUnknown && isContinuation(tokenizer, token, { text, start });
    parts.push({
      ids: [id],
      tokens: [isUnknown && start !== null ? text.slice(start, end) : token],
      scores: softmax(vector(index)),
      index,
      start,
      end,
      isInsideWord,
    });
  }
  return parts;
}

/** Whether a token continues a word, as in Python: WordPiece says so; elsewhere there is no space before it. */
function isContinuation(
  { continuationMark: mark }: Tokenizer,
  token: string,
  { text, start }: { text: string; start: number | null },
): boolean {
  if (mark !== '') return token.startsWith(mark);
  return start !== null && start > 0 && !text.slice(start - 1, start + 1).includes(' ');
}

const best = ({ scores }: Part) => largest(scores, 1)[0] ?? 0;

function tokenResult(part: Part, labels: readonly string[]): Tagged {
  const label = best(part);
  const { tokens, scores, index, start, end } = part;
  return { entity: labels[label] ?? '', score: scores[label] ?? 0, index, word: tokens[0] ?? '', start, end };
}

/** The tokens of each word as one. */
function words(parts: readonly Part[], strategy: 'first' | 'average' | 'max'): Part[] {
  const joined: Part[][] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.isInsideWord && last) last.push(part);
    else joined.push([part]);
  }
  return joined.map((word) => {
    const [first] = word as [Part, ...Part[]];
    return { ...first, ...joinedPlace(word), scores: wordScores(word, strategy) };
  });
}

function wordScores(word: readonly Part[], strategy: 'first' | 'average' | 'max'): readonly number[] {
  const [first] = word as [Part];
  if (strategy === 'first') return first.scores;
  if (strategy === 'max') {
    const certainty = word.map((part) => part.scores[best(part)] ?? 0);
    return (word[largest(certainty, 1)[0] ?? 0] ?? first).scores;
  }
  return first.scores.map(
    (_, i) => word.reduce((sum, { scores }) => sum + (scores[i] ?? 0), 0) / word.length,
  );
}

function joinedPlace(parts: readonly Part[]): Pick<Part, 'ids' | 'tokens' | 'start' | 'end'> {
  return {
    ids: parts.flatMap(({ ids }) => ids),
    tokens: parts.flatMap(({ tokens }) => tokens),
    start: parts[0]?.start ?? null,
    end: parts.at(-1)?.end ?? null,
  };
}

/** Joins neighbours with the same label; `B-` begins a group. */
function groups(parts: readonly Part[], labels: readonly string[], tokenizer: Tokenizer): Tagged[] {
  const joined: { tag: string; parts: Part[] }[] = [];
  for (const part of parts) {
    const label = labels[best(part)] ?? '';
    const [, begins, tagged] = /^(?:(B)-|I-)?(.*)$/s.exec(label) ?? [];
    const tag = tagged ?? label;
    const last = joined.at(-1);
    if (last?.tag === tag && !begins) last.parts.push(part);
    else joined.push({ tag, parts: [part] });
  }
  return joined.map(({ parts: own }) => {
    const [first] = own as [Part];
    const { start, end } = joinedPlace(own);
    const score = own.reduce((sum, part) => sum + (part.scores[best(part)] ?? 0), 0) / own.length;
    const label = labels[best(first)] ?? '';
    return {
      entity_group: label.slice(label.indexOf('-') + 1),
      score,
      word: written(joinedPlace(own), tokenizer),
      start,
      end,
    };
  });
}

/** The text of tokens; an unknown one as it is in the text that was given. */
function written({ ids, tokens }: Pick<Part, 'ids' | 'tokens'>, tokenizer: Tokenizer): string {
  const text = tokenizer.decode(ids, { skipSpecialTokens: false });
  const { unknownId } = tokenizer;
  const unknown = unknownId === null ? null : tokenizer.tokenOf(unknownId);
  if (!unknown) return text;
  const originals = tokens.filter((_, i) => ids[i] === unknownId);
  return text.replaceAll(unknown, () => originals.shift() ?? unknown);
}
