/** A sentence as the model reads it, and what it writes: all that the views show of it. */

import type { Head, Kind } from '../selection/heads.js';
import type { AttentionMap } from './attention_map.js';
import type { Token } from './tokens.js';

export interface Reading {
  /** The sentence. */
  readonly text: string;
  readonly translation: string;
  /** Token ids of the source, as the encoder reads them. */
  readonly inputIds: readonly number[];
  /** Token ids of the decoder: the start token, then all that was written, the end included. */
  readonly ids: readonly number[];
  readonly source: readonly SourceToken[];
  /** The tokens that the decoder wrote, the end of the sentence included. */
  readonly written: readonly WrittenToken[];
  /** What the decoder had read when it wrote them: the start token and all but the last. */
  readonly read: readonly Token[];
  readonly unknownWords: readonly string[];
  /** The attention weights; a model with one stack has only its own. */
  readonly maps: Readonly<Partial<Record<Kind, AttentionMap>>>;
  /** Which stacks the model has: only a model of both looks from one to the other. */
  readonly stacks: 'both' | 'encoder' | 'decoder';
  /** Whether the model is recurrent: it has one attention, without queries, keys and heads. */
  readonly isRecurrent: boolean;
  /** Names of the heads that were switched off, as in `cross.1.3`. */
  readonly off: readonly string[];
  /** The best translations of a beam search, best first; one entry for greedy decoding. */
  readonly nBest: readonly { readonly text: string; readonly probability: number }[];
  /** Whether it was made when the page was built, with the model not yet loaded. */
  readonly isBuiltIn: boolean;
  /** Heads that were trained for a purpose, which the model's config names. */
  readonly taught: Readonly<Partial<Record<'alignment' | 'antecedent', Head>>>;
  /** What each written token needed, where it was measured when the page was built. */
  readonly needs?: Needs;
}

/** What each written token needed: a row for each, with a loss of log-probability for each source token. */
export type Needs = readonly (readonly number[])[];

export interface SourceToken extends Token {
  readonly id: number;
  /** Where it stands in the sentence, `[begin, end)`; `null` for the end of the sentence. */
  readonly span: readonly [begin: number, end: number] | null;
}

/** A token that could have been written. */
export interface Candidate extends Token {
  readonly id: number;
  readonly probability: number;
}

export interface WrittenToken extends Candidate {
  /** The most probable tokens at this place, best first. */
  readonly candidates: readonly Candidate[];
}

/** The written token that the page is about: the selected one, else the first pronoun, else the first token. */
export function chosenWord({ written }: Reading, word: number | null): number {
  if (word !== null && word < written.length) return word;
  return Math.max(
    0,
    written.findLastIndex(({ label }) => /^(il|elle|ils|elles)$/i.test(label)),
  );
}

/** The head that the page is about: the selected one if the model has it, else its last, which nobody taught where to look. */
export function chosenHead({ maps }: Pick<Reading, 'maps'>, head: Head | null): Head {
  const map = head && maps[head.kind];
  if (map && head.layer < map.layers && head.head < map.heads) return head;
  const kind = maps.cross ? 'cross' : maps.decoder ? 'decoder' : 'encoder';
  const { layers = 1, heads = 1 } = maps[kind] ?? {};
  return { kind, layer: layers - 1, head: heads - 1 };
}

/** The index of the largest weight. */
export function strongest(weights: ArrayLike<number>): number {
  let best = 0;
  for (let i = 1; i < weights.length; i++) if ((weights[i] ?? 0) > (weights[best] ?? 0)) best = i;
  return best;
}
