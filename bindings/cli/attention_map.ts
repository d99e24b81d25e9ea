/** Shows a matrix of attention weights, as text or as a picture. */

import { attentionSvg } from '../insight/attention_svg.js';
import { Tensor } from '../values/tensor.js';

export type AttentionKind = 'cross' | 'encoder' | 'decoder';

export interface AttentionMap {
  readonly kind: AttentionKind;
  /** Counted from 1. */
  readonly layer: number;
  readonly head: number | 'mean';
  /** The tokens of the queries. */
  readonly rows: readonly string[];
  /** The tokens of the keys. */
  readonly columns: readonly string[];
  /** [rows][columns]; each row sums to 1. */
  readonly weights: readonly (readonly number[])[];
}

const titles: Readonly<Record<AttentionKind, string>> = {
  cross: 'Cross-attention',
  encoder: 'Encoder self-attention',
  decoder: 'Decoder self-attention',
};

/** The meaning of rows and columns. */
const axes: Readonly<Record<AttentionKind, readonly [string, string]>> = {
  cross: ['translation', 'source text'],
  encoder: ['source text', 'source text'],
  decoder: ['generated token', 'translation so far'],
};

const titleOf = ({ kind, layer, head }: AttentionMap) =>
  `${titles[kind]}, layer ${layer}, ${head === 'mean' ? 'mean of all heads' : `head ${head}`}`;

/** Aligned columns of percentages; values that round to zero are shown as a dot. */
export function asTable(map: AttentionMap): string {
  const cells = map.weights.map((row) => row.map((weight) => `${Math.round(weight * 100) || '·'}`));
  const names = Math.max(...map.rows.map(width));
  const widths = map.columns.map((column) => Math.max(width(column), 3));
  const header = [' '.repeat(names), ...map.columns.map((column, i) => padStart(column, widths[i] ?? 0))];
  const lines = cells.map((row, i) => [
    padStart(map.rows[i] ?? '', names),
    ...row.map((cell, j) => padStart(cell, widths[j] ?? 0)),
  ]);
  const [rows, columns] = axes[map.kind];
  return `${titleOf(map)}: from each ${rows} (rows) to ${columns} (columns), in percent\n\n${[header, ...lines].map((line) => line.join('  ')).join('\n')}\n`;
}

const width = (text: string) => [...text].length;
const padStart = (text: string, to: number) => ' '.repeat(Math.max(0, to - width(text))) + text;

/** A picture with title, axes and legend. */
export function asSvg(map: AttentionMap): Promise<string> {
  const { rows: queries, columns: keys, weights } = map;
  const [queryAxis, keyAxis] = axes[map.kind];
  return attentionSvg({
    title: titleOf(map),
    queries,
    keys,
    weights: Tensor.from(weights.map((row) => [...row])),
    queryAxis,
    keyAxis,
  });
}
