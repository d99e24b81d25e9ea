/** What one attention is computed from, and how the model computes it for a sentence. */

import { type Model, Tensor } from 'transformer-wasm';
import { attentionPath, type Head, headLabel } from '../selection/heads.js';
import type { Selection } from '../selection/selection.js';
import { Problem } from '../words/problem.js';
import { words } from '../words/words.js';
import { chosenSource, comparedWith, needsOf } from './needs.js';
import { passOf } from './pass.js';
import { chosenHead, chosenWord, type Reading } from './reading.js';

/** Queries, keys and values of one head, [tokens, width]. */
export interface Inputs {
  /** What attends to what, in words. */
  readonly title: string;
  readonly queryNames: readonly string[];
  readonly keyNames: readonly string[];
  readonly queries: Tensor;
  readonly keys: Tensor;
  readonly values: Tensor;
  /** The query that is shown unless the visitor chooses another. */
  readonly query: number;
  /** Whether it is of a head that is switched off. */
  readonly isOff?: boolean;
  /** What the weights of a query can be compared with; see `comparedWith`. */
  readonly losses?: (query: number) => readonly number[] | null;
  /** Whether a query sees only the keys up to its own place. */
  readonly isCausal: boolean;
}

/** Queries, keys and values as the model computes them for this sentence, of the selected head. */
export async function ofSentence(model: Model, reading: Reading, selection: Selection): Promise<Inputs> {
  const head = chosenHead(reading, selection.head);
  const path = attentionPath(head.kind, head.layer);
  const { trace = {} } = await passOf(model, reading, {
    trace: ['queries', 'keys', 'values'].map((name) => `${path}.${name}`),
  });
  const map = reading.maps[head.kind];
  const needs = head.kind === 'decoder' ? null : await needsOf(model, reading);
  const losses = (query: number) => {
    const compared = needs && comparedWith(reading, needs, { kind: head.kind, query, selection });
    return compared === 'pending' ? null : compared;
  };
  const of = (name: string) => headOf(trace[`${path}.${name}`], head, map?.heads ?? 1);
  const label = ({ label }: { readonly label: string }) => label;
  return {
    title: headLabel(head),
    queryNames: map?.queries.map(label) ?? [],
    keyNames: map?.keys.map(label) ?? [],
    queries: of('queries'),
    keys: of('keys'),
    values: of('values'),
    query: head.kind === 'encoder' ? chosenSource(reading, selection) : chosenWord(reading, selection.word),
    isOff: map?.isOff(head.layer, head.head) ?? false,
    losses,
    isCausal: head.kind === 'decoder',
  };
}

/** One head's columns of [1, time, heads * width]; keys and values may have fewer heads than there are queries. */
function headOf(traced: Tensor | undefined, { head }: Head, heads: number): Tensor {
  if (!traced) throw new Problem(words.messages.noAttention);
  const [, time = 0, width = 0] = traced.shape;
  const size = width % heads === 0 ? width / heads : width;
  const first = Math.min(head, width / size - 1) * size;
  const rows = Array.from({ length: time }, (_, i) =>
    traced.data.subarray(i * width + first, i * width + first + size),
  );
  return new Tensor(Float32Array.from(rows.flatMap((row) => [...row])), [time, size]);
}
