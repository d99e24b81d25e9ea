/** Which states of the sentence carry a word: each is copied from another sentence by itself, and the word's chances are measured. */

import { type Attribution, attribute, type Model, type Sweep, sweep } from 'transformer-wasm';
import { softmaxOf } from '../../reading/largest.js';
import { type Reading, strongest } from '../../reading/reading.js';
import { groupOf, swappable, swapped } from '../../reading/swaps.js';
import type { Head } from '../../selection/heads.js';

/** What is copied: the state of a word after a layer, or where a head of the sentence's own attention looks. */
export type What = 'states' | 'heads';

const paths: Record<What, string> = {
  states: 'encoder.layers.*.residual',
  heads: 'encoder.layers.*.self.weights',
};

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

/** All states, each by itself. */
export function sweepOf(
  model: Model,
  { ids, other, read, written: [own, its] }: Pair,
  { what, heads, signal }: { readonly what: What; readonly heads: number; readonly signal: AbortSignal },
): Promise<Sweep> {
  return sweep(model, inputsOf(ids, read), {
    from: inputsOf(other, read),
    at: paths[what],
    measure: { position: read.length - 1, token: its, against: own },
    ...(what === 'heads' && { heads: Array.from({ length: heads }, (_, head) => head) }),
    signal,
  });
}

/** One row of the map: a layer, or a head of it. */
export interface Row {
  readonly path: string;
  readonly layer: number;
  readonly head: number | null;
}

/** What the map shows. */
export interface SweepMap {
  readonly rows: readonly Row[];
  /** How far each state alone leads from the one word to the other, row by row: 1, all the way. */
  readonly shares: Float32Array;
}

export function mapOf({ paths: all, heads, effects, base, other }: Sweep): SweepMap {
  const whole = other - base;
  return {
    rows: all.flatMap((path, layer) => (heads ?? [null]).map((head): Row => ({ path, layer, head }))),
    shares: effects.data.map((effect) => (whole === 0 ? 0 : effect / whole)),
  };
}

/** The translation with one state copied, and the chances of the two words there. */
export interface Copied {
  readonly text: string;
  readonly chances: readonly [own: number, other: number];
}

export async function copied(
  model: Model,
  { ids, other, read, written }: Pair,
  {
    path,
    head,
    position,
  }: { readonly path: string; readonly head: number | null; readonly position: number },
): Promise<Copied> {
  const from = await model.forward(inputsOf(other, read), { trace: [path] });
  const edits = [{ at: path, positions: [position], ...(head !== null && { heads: [head] }), from }];
  const [result] = await model.generate([[...ids]], { edits });
  const { logits } = await model.forward(inputsOf(ids, read), { edits });
  const vocabulary = logits?.shape.at(-1) ?? 0;
  const last =
    logits?.data.subarray((read.length - 1) * vocabulary, read.length * vocabulary) ?? new Float32Array(0);
  const chance = softmaxOf(last);
  return { text: result?.sequences[0]?.text ?? '', chances: [chance(written[0]), chance(written[1])] };
}

/** Why a head of the look across looks where it looks: the score of its strongest key by what wrote into it. */
export async function whyThere(
  model: Model,
  { ids, read }: Pair,
  { head: { layer, head }, key }: { readonly head: Head; readonly key: number },
): Promise<Attribution> {
  return attribute(model, inputsOf(ids, read), { kind: 'cross', layer, head, query: read.length - 1, key });
}
