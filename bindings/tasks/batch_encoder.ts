/** Runs an encoder, or a decoder alone, over texts: tokenized, cut to what the model can take, and padded into batches. */

import { hasDecoder, hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { forward } from '../insight/forward.js';
import type { ForwardOutput } from '../insight/forward_output.js';
import { tokenTypesOf } from '../plans/model_shape.js';
import type { Span } from '../tokenizers/aligned_text.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';
import type { Tensor } from '../values/tensor.js';

/** A tokenized text, or part of one, as the encoder reads it. */
export interface Row {
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
  /** `null` for tokens that are not from a text. */
  readonly offsets: readonly (Span | null)[];
  readonly typeIds: readonly number[];
  /** Which text each token is from: 0, or 1 for the second of a pair; -1 for added tokens. */
  readonly sources: readonly number[];
  /** The word that each token is part of; `null` where that is unknown. */
  readonly wordIds: readonly (number | null)[];
}

/** A tensor of the pass: [batch, time, width] or [batch, width]. */
export type OutputName = 'logits' | 'lastHiddenState' | 'startLogits' | 'endLogits' | 'textFeatures';

/** A row and what the model computes from it. */
export interface RowOutput {
  readonly row: Row;
  /** The vector of a token, or of the whole row; `which` of the tensors that were asked for, if there are several. */
  vector(token: number, which?: number): Float32Array;
}

/** Rows per pass. */
const rowsAtOnce = 32;

/** The most tokens that the model's positions cover, special tokens included. */
export const roomOf = ({ plan }: Loaded) => plan.maxPositions ?? Number.POSITIVE_INFINITY;

/** Which decoders can do what encoders do: none, those with a classifier in place of the next word's logits, or all. */
type Decoders = 'none' | 'classifiers' | 'all';

/**
 * The tokenizer of an encoder alone, or of a model whose decoder reads the same text, as BART's classifier does.
 *
 * @throws TransformerError `unsupported`
 */
export function requireEncoder(model: Loaded, what: string, decoders: Decoders = 'none'): Tokenizer {
  const { plan } = model;
  const isEncoder = hasEncoder(model) && (!hasDecoder(model) || plan.readsSource === true);
  const isDecoder = !hasEncoder(model) && hasDecoder(model);
  const isClassifier = 'head' in plan.model;
  if (!isEncoder && !(isDecoder && (decoders === 'all' || (decoders === 'classifiers' && isClassifier))))
    fail('unsupported', `only ${allowed[decoders]} can ${what}`);
  return requireTokenizer(model, `it cannot ${what}`);
}

const allowed: Readonly<Record<Decoders, string>> = {
  none: 'an encoder alone',
  classifiers: 'an encoder alone, or a decoder with a classifier,',
  all: 'an encoder or a decoder alone',
};

/** @throws TransformerError `invalid_argument` for anything but a text with something in it. */
export function checkText(text: unknown, name: string): string {
  if (typeof text !== 'string') fail('invalid_argument', `${name} must be a string, got ${typeof text}`);
  if (text.trim() === '') fail('invalid_argument', `${name} is empty`);
  return text;
}

/** A text, or a pair of texts, between the special tokens of the model. */
export function rowOf(tokenizer: Tokenizer, text: string, pair?: string): Row {
  const whole = tokenizer.encode(text, pair === undefined ? {} : { pair });
  const bare = (one: string) => tokenizer.encode(one, { addSpecialTokens: false }).ids;
  const sources = new Array<number>(whole.ids.length).fill(-1);
  let from = 0;
  for (const [source, part] of [text, ...(pair === undefined ? [] : [pair])].entries()) {
    const ids = bare(part);
    const begin = placeOf(whole.ids, ids, from);
    sources.fill(source, begin, begin + ids.length);
    from = begin + ids.length;
  }
  return { ...whole, sources };
}

function placeOf(ids: readonly number[], part: readonly number[], from: number): number {
  for (let begin = from; begin + part.length <= ids.length; begin++)
    if (part.every((id, i) => ids[begin + i] === id)) return begin;
  return fail('internal', 'the tokens of a text are not among those of its encoding');
}

/** The tokens of a row for which `isKept` is true. */
export function select(
  { ids, tokens, offsets, typeIds, sources, wordIds }: Row,
  isKept: (token: number) => boolean,
): Row {
  const of = <T>(list: readonly T[]) => list.filter((_, token) => isKept(token));
  return {
    ids: of(ids),
    tokens: of(tokens),
    offsets: of(offsets),
    typeIds: of(typeIds),
    sources: of(sources),
    wordIds: of(wordIds),
  };
}

/** The row, without the last tokens of one of its texts if it is too long. */
export function cut(row: Row, room: number, source = 0): Row {
  const excess = row.ids.length - room;
  if (excess <= 0) return row;
  const own = [...row.ids.keys()].filter((token) => row.sources[token] === source);
  if (own.length < excess)
    fail('invalid_argument', `the text is ${row.ids.length} tokens long; the model's maximum is ${room}`);
  const left = new Set(own.slice(own.length - excess));
  return select(row, (token) => !left.has(token));
}

/** Where a text is cut into parts. */
export interface Windows {
  /** The most tokens of a part, special tokens and the other text included. */
  readonly room: number;
  /** How many tokens two neighbouring parts share. Default: 128, but at most half of the room. */
  readonly stride: number | undefined;
  /** The option that gives `stride`. */
  readonly name: string;
}

/** The row in parts, each of which has a part of one text and all other tokens, as Python's tokenizers make them. */
export function windows(row: Row, source: number, { room, stride, name }: Windows): Row[] {
  const own = [...row.ids.keys()].filter((token) => row.sources[token] === source);
  const others = row.ids.length - own.length;
  const size = room - others;
  if (size < 1)
    fail(
      'invalid_argument',
      source === 1
        ? `the question has ${others} tokens and leaves no room for the context in ${room}`
        : `${others} special tokens leave no room for the text in ${room}`,
    );
  if (own.length <= size) return [row];
  const shared = stride ?? Math.min(128, Math.floor(room / 2), size - 1);
  if (shared >= size)
    fail('invalid_argument', `${name} must be smaller than the ${size} tokens of the text in each part`);
  const parts: Row[] = [];
  for (let begin = 0; ; begin += size - shared) {
    const kept = new Set(own.slice(begin, begin + size));
    parts.push(select(row, (token) => row.sources[token] !== source || kept.has(token)));
    if (begin + size >= own.length) return parts;
  }
}

/** The model's output for every row, in order. A row's numbers do not depend on the others. */
export async function* runRows(
  model: Loaded,
  rows: readonly Row[],
  names: OutputName | readonly OutputName[],
  signal?: AbortSignal,
): AsyncGenerator<RowOutput, void, void> {
  for (let begin = 0; begin < rows.length; begin += rowsAtOnce) {
    signal?.throwIfAborted();
    model.checkAlive();
    const batch = rows.slice(begin, begin + rowsAtOnce);
    const skipLogits = !hasEncoder(model) && [names].flat().every((name) => name === 'lastHiddenState');
    const output = await forward(model, inputsOf(model, batch), { skipPadding: true, skipLogits }, signal);
    const tensors = [names].flat().map((name) => tensorOf(output, name));
    for (const [i, row] of batch.entries())
      yield { row, vector: (token, which = 0) => vectorOf(tensors[which], i, token) };
  }
}

function vectorOf(tensor: Tensor | undefined, row: number, token: number): Float32Array {
  const { data, shape } = tensor ?? fail('internal', 'a tensor was not asked for');
  const width = shape.at(-1) ?? 0;
  const begin = (row * (shape.length === 3 ? (shape[1] ?? 0) : 1) + token) * width;
  return data.subarray(begin, begin + width);
}

function tensorOf(output: ForwardOutput, name: OutputName): Tensor {
  const tensors: Partial<Record<OutputName, Tensor>> = output;
  return (
    tensors[name] ??
    fail(
      'unsupported',
      name === 'lastHiddenState' ? 'the model gives no hidden states' : 'the model has no such head',
    )
  );
}

/** The rows, padded on the right. */
function inputsOf(model: Loaded, rows: readonly Row[]) {
  const time = Math.max(...rows.map(({ ids }) => ids.length));
  const shape = [rows.length, time];
  const pad = model.plan.tokens.pad ?? model.generation.padTokenId ?? 0;
  const grid = (of: (row: Row, token: number) => number, padding: number) => {
    const data = new Int32Array(rows.length * time).fill(padding);
    for (const [i, row] of rows.entries())
      for (let token = 0; token < row.ids.length; token++) data[i * time + token] = of(row, token);
    return { data, shape };
  };
  return {
    inputIds: grid(({ ids }, token) => ids[token] ?? pad, pad),
    attentionMask: grid(() => 1, 0),
    ...(tokenTypesOf(model.plan) > 1 && {
      tokenTypeIds: grid(({ typeIds }, token) => typeIds[token] ?? 0, 0),
    }),
  };
}
