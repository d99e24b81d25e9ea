/** Which states of the sentence carry a word: each is copied from another sentence by itself, and the word's chances are measured. */

import {
  type Attribution,
  attribute,
  type Model,
  type Sweep,
  type SweepOptions,
  sweep,
  type Tensor,
  type TensorLike,
} from 'transformer-wasm';
import { softmaxOf } from '../../reading/largest.js';
import { type Reading, strongest } from '../../reading/reading.js';
import { groupOf, swappable, swapped } from '../../reading/swaps.js';
import type { Head } from '../../selection/heads.js';

/**
 * What is copied: the state of a word after a layer, where a head of the sentence's own attention looks from a word, or one weight
 * of such a head.
 */
export type What = 'states' | 'heads' | 'cells';

const statesPath = 'encoder.layers.*.residual';
const weightsPath = (layer: number | '*') => `encoder.layers.${layer}.self.weights`;

/** Two sentences that differ in one word, and what the decoder has read when it writes the word that is asked for. */
export interface Pair {
  readonly word: string;
  readonly ids: readonly number[];
  readonly other: readonly number[];
  readonly read: readonly number[];
  /** What each of them makes it write there. */
  readonly written: readonly [own: number, other: number];
}

/** The words that can stand in place of the sentence's, with as many tokens as it has. */
export function othersOf(model: Model, { text, source, inputIds }: Reading): string[] {
  const token = source[swappable(source)];
  if (!token) return [];
  return groupOf(token).filter((word) => {
    const encoding = model.tokenizer?.encode(swapped(text, token, word));
    return (
      word !== token.label.toLowerCase() &&
      encoding?.unknownWords.length === 0 &&
      encoding.ids.length === inputIds.length
    );
  });
}

/** @returns `null` if the other sentence makes it write the same */
export async function pairOf(
  model: Model,
  reading: Reading,
  { word, place }: { readonly word: string; readonly place: number },
): Promise<Pair | null> {
  const { text, source, inputIds: ids, ids: decoded, written } = reading;
  const token = source[swappable(source)];
  const own = written[place]?.id;
  if (!token || own === undefined) return null;
  const other = [...(model.tokenizer?.encode(swapped(text, token, word)).ids ?? [])];
  const read = decoded.slice(0, place + 1);
  const { logits } = await model.forward({ inputIds: [other], decoderInputIds: [[...read]] });
  if (!logits) return null;
  const vocabulary = logits.shape.at(-1) ?? 0;
  const its = strongest(logits.data.subarray(place * vocabulary, (place + 1) * vocabulary));
  return its === own ? null : { word, ids, other, read, written: [own, its] };
}

const inputsOf = (source: readonly number[], read: readonly number[]) => ({
  inputIds: [[...source]],
  decoderInputIds: [[...read]],
});

/** A layer's head of the sentence's own attention. */
export type OwnHead = Pick<Head, 'layer' | 'head'>;

/** One row of the map: a layer, a head of it, or one of its queries. */
export interface Row {
  readonly path: string;
  readonly layer: number;
  readonly head: number | null;
  /** The query whose weights are copied one by one. */
  readonly query: number | null;
}

/** What the map shows. */
export interface SweepMap {
  readonly rows: readonly Row[];
  /** How far each copy alone leads from the one word to the other, row by row: 1, all the way. */
  readonly shares: Float32Array;
}

interface Swept {
  readonly heads: number;
  readonly signal: AbortSignal;
}

const swept = (
  model: Model,
  { ids, other, read, written: [own, its] }: Pair,
  options: Pick<SweepOptions, 'at' | 'heads' | 'keys' | 'signal'>,
): Promise<Sweep> =>
  sweep(model, inputsOf(ids, read), {
    from: inputsOf(other, read),
    measure: { position: read.length - 1, token: its, against: own },
    ...options,
  });

const counted = (count: number) => Array.from({ length: count }, (_, i) => i);

/** All states, or what all heads look at from each word: each by itself. */
export async function sweepOf(
  model: Model,
  pair: Pair,
  { what, heads, signal }: Swept & { readonly what: Exclude<What, 'cells'> },
): Promise<SweepMap> {
  const options = what === 'heads' ? { at: weightsPath('*'), heads: counted(heads) } : { at: statesPath };
  const found = await swept(model, pair, { ...options, signal });
  return mapOf(
    found,
    found.paths.flatMap((path, layer) =>
      (found.heads ?? [null]).map((head): Row => ({ path, layer, head, query: null })),
    ),
  );
}

/** All weights of a head, each by itself. */
export async function cellsOf(
  model: Model,
  pair: Pair,
  { layer, head, signal }: OwnHead & { readonly signal: AbortSignal },
): Promise<SweepMap> {
  const at = weightsPath(layer);
  const found = await swept(model, pair, { at, heads: [head], keys: counted(pair.ids.length), signal });
  return mapOf(
    found,
    found.positions.map((query): Row => ({ path: at, layer, head, query })),
  );
}

function mapOf({ effects, base, other }: Sweep, rows: readonly Row[]): SweepMap {
  const whole = other - base;
  return { rows, shares: effects.data.map((effect) => (whole === 0 ? 0 : effect / whole)) };
}

/** The head that leads furthest, copied from one word alone. */
export async function strongestHead(model: Model, pair: Pair, options: Swept): Promise<OwnHead> {
  const { rows, shares } = await sweepOf(model, pair, { what: 'heads', ...options });
  const { layer = 0, head } = rows[Math.floor(strongest(shares) / pair.ids.length)] ?? {};
  return { layer, head: head ?? 0 };
}

/** The translation with one state copied, and the chances of the two words there. */
export interface Copied {
  readonly text: string;
  readonly chances: readonly [own: number, other: number];
}

export async function copied(
  model: Model,
  { ids, other, read, written }: Pair,
  { row: { path, head, query }, column }: { readonly row: Row; readonly column: number },
): Promise<Copied> {
  const traced = (source: readonly number[]) => model.forward(inputsOf(source, read), { trace: [path] });
  const from = await traced(other);
  const edit = { at: path, positions: [query ?? column], ...(head !== null && { heads: [head] }) };
  const at = { head: head ?? 0, query: query ?? 0, key: column };
  const set = query === null ? null : withKey((await traced(ids)).trace?.[path], from.trace?.[path], at);
  const edits = [set ? { ...edit, set } : { ...edit, from }];
  const [result] = await model.generate([[...ids]], { edits });
  const { logits } = await model.forward(inputsOf(ids, read), { edits });
  const vocabulary = logits?.shape.at(-1) ?? 0;
  const last =
    logits?.data.subarray((read.length - 1) * vocabulary, read.length * vocabulary) ?? new Float32Array(0);
  const chance = softmaxOf(last);
  return { text: result?.sequences[0]?.text ?? '', chances: [chance(written[0]), chance(written[1])] };
}

/** The weights of one query, of which one is the other's. */
function withKey(
  own: Tensor | undefined,
  other: Tensor | undefined,
  { head, query, key }: { readonly head: number; readonly query: number; readonly key: number },
): TensorLike {
  const [, , queries = 0, keys = 0] = own?.shape ?? [];
  const first = (head * queries + query) * keys;
  const row = [...(own?.data.subarray(first, first + keys) ?? [])];
  row[key] = other?.data[first + key] ?? 0;
  return row;
}

/** Why a head of the look across looks where it looks: the score of its strongest key by what wrote into it. */
export async function whyThere(
  model: Model,
  { ids, read }: Pair,
  { head: { layer, head }, key }: { readonly head: Head; readonly key: number },
): Promise<Attribution> {
  return attribute(model, inputsOf(ids, read), { kind: 'cross', layer, head, query: read.length - 1, key });
}
