/** Runs an encoder, or a decoder alone, over texts: tokenized, cut to the model's maximum, padded into batches. */

import { hasDecoder, hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { Pauses } from '../engine/steps.js';
import { runForward } from '../insight/forward.js';
import { checkInputs } from '../insight/forward_inputs.js';
import type { ForwardOutput } from '../insight/forward_output.js';
import type { SentenceCall } from '../modules/embind.js';
import { tokenTypesOf } from '../plans/model_shape.js';
import type { SourcedEncoding, Tokenizer } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';
import type { Tensor } from '../values/tensor.js';

/** A tokenized text, or part of one, as the encoder reads it. */
export type Row = Omit<SourcedEncoding, 'unknownWords'>;

/** A tensor of the pass: [batch, time, width] or [batch, width]. */
type OutputName =
  | 'logits'
  | 'lastHiddenState'
  | 'poolerOutput'
  | 'startLogits'
  | 'endLogits'
  | 'textFeatures'
  | 'textEmbeds';

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

/** Reads a text, or a pair of texts, as a row; of several the next when the one before is done. */
type RowReader = (text: string, pair?: string) => Promise<Row>;

/**
 * Texts between the special tokens of the model, read with pauses: one text may be long, and there may be many.
 *
 * @throws the signal's reason, from the reader.
 */
export function rowReader(tokenizer: Tokenizer, signal: AbortSignal | undefined): RowReader {
  const pauses = new Pauses(signal);
  return async (text, pair) => {
    const row = await tokenizer.encodeLong(text, pair === undefined ? {} : { pair }, signal);
    await pauses.after(text.length + (pair?.length ?? 0));
    return row;
  };
}

/** What becomes of each input, one after the other. */
export async function inOrder<T, R>(inputs: Iterable<T>, make: (input: T) => Promise<R> | R): Promise<R[]> {
  const made: R[] = [];
  for (const input of inputs) made.push(await make(input));
  return made;
}

/** The tokens of a row for which `isKept` is true. */
export const select = (row: Row, isKept: (token: number) => boolean): Row =>
  chosen(
    row,
    [...row.ids.keys()].filter((token) => isKept(token)),
  );

function chosen({ ids, tokens, offsets, typeIds, sources, wordIds }: Row, places: readonly number[]): Row {
  const of = <T>(list: readonly T[]) => places.map((place) => list[place] as T);
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
  const all = [...row.ids.keys()];
  const own = all.filter((token) => row.sources[token] === source);
  const rest = all.filter((token) => row.sources[token] !== source);
  const others = rest.length;
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
    const places = [...rest, ...own.slice(begin, begin + size)].sort((a, b) => a - b);
    parts.push(chosen(row, places));
    if (begin + size >= own.length) return parts;
  }
}

/**
 * The model's output for every row, in order. A row's numbers do not depend on the others.
 *
 * @param sentence how the vectors of the tokens become one, the `poolerOutput`
 */
export async function* runRows(
  model: Loaded,
  rows: readonly Row[],
  names: OutputName | readonly OutputName[],
  signal?: AbortSignal,
  sentence?: SentenceCall,
): AsyncGenerator<RowOutput, void, void> {
  for (let begin = 0; begin < rows.length; begin += rowsAtOnce) {
    signal?.throwIfAborted();
    model.checkAlive();
    const batch = rows.slice(begin, begin + rowsAtOnce);
    const skipLogits = !hasEncoder(model) && [names].flat().every((name) => name === 'lastHiddenState');
    const options = { skipPadding: true, skipLogits, ...(sentence && { sentence }) };
    const inputs = inputsOf(model, batch);
    checkInputs(model, inputs);
    const output = await runForward(model, inputs, options, signal);
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
