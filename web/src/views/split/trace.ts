/** The heads of one attention for one word, as the model computes them. */

import type { Model } from 'transformer-wasm';
import { isTaught } from '../../reading/looks.js';
import { passOf } from '../../reading/pass.js';
import { chosenHead, chosenWord, type Reading, strongest } from '../../reading/reading.js';
import { type StoredMatrix, storedMatrix } from '../../reading/stored_weights.js';
import { attentionPath, type Kind } from '../../selection/heads.js';
import type { Selection } from '../../selection/selection.js';
import { Problem } from '../../words/problem.js';
import { words } from '../../words/words.js';
import { type HeadLook, looksOf } from './compute.js';

export interface Found {
  readonly kind: Kind;
  readonly layer: number;
  readonly word: { readonly label: string; readonly isSpecial: boolean };
  readonly keys: readonly string[];
  readonly query: Float32Array;
  readonly looks: readonly HeadLook[];
  /** Which of them was taught where to look; -1: none. */
  readonly taught: number;
}

/** The attention that is shown: the one with the chosen head, of which the page's default is the last look at the source. */
export async function findLooks(model: Model, reading: Reading, selection: Selection): Promise<Found> {
  const { kind, layer } = chosenHead(reading, selection.head);
  const map = reading.maps[kind];
  if (!map) throw new Problem(words.messages.noAttention);
  const path = attentionPath(kind, layer);
  const { trace = {} } = await passOf(model, reading, { trace: [`${path}.queries`, `${path}.values`] });
  const [queries, values] = [trace[`${path}.queries`], trace[`${path}.values`]];
  if (!queries || !values) throw new Problem(words.messages.noAttention);
  const token = kind === 'encoder' ? lookedAtMost(reading, layer) : chosenWord(reading, selection.word);
  const width = queries.shape.at(-1) ?? 0;
  const query = queries.data.subarray(token * width, (token + 1) * width);
  const weights = Array.from({ length: map.heads }, (_, head) => map.row(layer, head, token));
  const looks = looksOf({
    query,
    values: { data: values.data, width: values.shape.at(-1) ?? 0 },
    weights,
    isOff: (head) => map.isOff(layer, head),
  });
  const { label = '', isSpecial = false } = map.queries[token] ?? {};
  const taught = looks.findIndex((_, head) => isTaught(reading, { kind, layer, head }));
  const keys = map.keys.map((key) => key.label);
  return { kind, layer, word: { label, isSpecial }, keys, query, looks, taught };
}

/** Of an encoder: its pronoun, else the word that looks away from itself most. */
function lookedAtMost({ maps }: Reading, layer: number): number {
  const { encoder } = maps;
  if (!encoder) return 0;
  const pronoun = encoder.queries.findIndex(({ label }) => label === 'it');
  if (pronoun >= 0) return pronoun;
  return strongest(encoder.queries.map((_, i) => 1 - (encoder.row(layer, 'mean', i)[i] ?? 0)));
}

/** W_O of an attention of the page's own model. */
export function mixer(kind: Kind, layer: number): Promise<{ weight: StoredMatrix; bias: Float32Array }> {
  const name = kind === 'cross' ? 'multihead_attn' : 'self_attn';
  return storedMatrix(`${kind === 'encoder' ? kind : 'decoder'}.layers.${layer}.${name}.out_proj`);
}
