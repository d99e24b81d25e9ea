/**
 * The tensor names of a family, turned into the engine's by a table:
 *
 *     'encoder.layer.#.attention.self.query': 'encoder.layers.#.self_attn.q_proj'
 *
 * `#` is the number of a layer, and weight and bias follow on both sides. Where several names lead to one place (tied
 * tensors that were stored more than once) the first in the table counts.
 */

import type { Shapes, Slice } from '../weights/slices.js';

/** What is made of a stored tensor: the engine's name, or slices for a name with its layer's number filled in. */
export type Target = string | ((tensor: StoredName) => Slice[]);

export interface StoredName {
  readonly name: string;
  readonly shape: readonly number[];
  /** `weight`, `bias`, or nothing. */
  readonly part: string;
  /** The number in the name, for the `#` of the engine's. */
  readonly layer: string;
}

export interface NameTable {
  /** What may stand in front of the names, or not: base models are saved without. */
  readonly prefixes: readonly string[];
  readonly names: Readonly<Record<string, Target>>;
}

export function renamed(shapes: Shapes, table: NameTable): Slice[] {
  const order = new Map(Object.keys(table.names).map((pattern, place) => [pattern, place]));
  const found = new Map<string, { slice: Slice; place: number }>();
  for (const [name, shape] of shapes) {
    const { pattern, part, layer } = parse(name, table);
    const target = table.names[pattern];
    const place = order.get(pattern);
    if (target === undefined || place === undefined) continue;
    for (const slice of make(target, { name, shape, part, layer })) {
      const other = found.get(slice.name);
      if (!other || place < other.place) found.set(slice.name, { slice, place });
    }
  }
  return [...found.values()].map(({ slice }) => slice);
}

/**
 * The slices of a model whose output projection is an embedding: it is stored once, most often under the embedding's
 * name, but by some programs under its own.
 *
 * @param embedding the engine's name of it; `false` for a model whose projection is its own
 */
export function tied(slices: Slice[], embedding: string | false): Slice[] {
  if (embedding === false) return slices;
  const isStored = slices.some(({ name }) => name === embedding);
  return slices.flatMap((slice) => {
    if (slice.name !== 'projection.weight') return [slice];
    return isStored ? [] : [{ ...slice, name: embedding }];
  });
}

/** Heads stand beside the base model, so its prefix is not in front of their names. */
const besideBase = /^(cls\.|(pre_)?classifier|vocab_|lm_head|proj_out|final_logits_bias)/;

/** The family's name for an engine's tensor that is missing. */
export function nameBefore(wanted: string, { prefixes, names }: NameTable): string {
  const [, base = wanted, part = ''] = /^(.+?)(?:\.(weight|bias))?$/.exec(wanted) ?? [];
  const [layer = ''] = /(?<=\.)\d+(?=\.)/.exec(base) ?? [];
  for (const [pattern, target] of Object.entries(names)) {
    for (const stored of [part, '']) {
      const isMade = make(target, { name: pattern, shape: [0, 0], part: stored, layer }).some(
        (slice) => slice.name === wanted,
      );
      if (!isMade) continue;
      const prefix = besideBase.test(pattern) ? '' : (prefixes[0] ?? '');
      return `${prefix}${pattern.replace('#', layer)}${stored === '' ? '' : `.${stored}`}`;
    }
  }
  return wanted;
}

function parse(
  name: string,
  { prefixes, names }: NameTable,
): Omit<StoredName, 'name' | 'shape'> & { pattern: string } {
  const bare = withoutPrefix(name.replace(/^module\./, ''), prefixes, names);
  const [, base = bare, stored = ''] = /^(.+)\.(weight|bias|gamma|beta)$/.exec(bare) ?? [];
  // What very old files call the parameters of norms.
  const part = stored.replace('gamma', 'weight').replace('beta', 'bias');
  const [layer = ''] = /(?<=\.)\d+(?=\.)/.exec(base) ?? [];
  return { pattern: generic(base), part, layer };
}

/** Only the first number is a layer's: the second, in T5's names, says which part of the layer it is. */
const generic = (base: string) => base.replace(/(?<=\.)\d+(?=\.)/, '#');

function withoutPrefix(name: string, prefixes: readonly string[], names: NameTable['names']): string {
  const prefix = prefixes.find((candidate) => candidate !== '' && name.startsWith(candidate));
  if (prefix === undefined) return name;
  const base = generic(name.replace(/\.(weight|bias|gamma|beta)$/, ''));
  return base in names ? name : name.slice(prefix.length);
}

function make(target: Target, stored: StoredName): Slice[] {
  if (typeof target === 'function') return target(stored);
  const place = engineName(target, stored);
  return [{ name: place, from: stored.name, firstRow: 0, rows: null, shape: stored.shape }];
}

/** The engine's name for a stored tensor: its layer's number and its part filled in. */
export function engineName(target: string, { layer, part }: StoredName): string {
  return target.replace('#', layer) + (part === '' ? '' : `.${part}`);
}

/** A table of learned positions of which the first rows stand for no position. */
export const positionsFrom =
  (firstRow: number, target: string) =>
  (stored: StoredName): Slice[] => {
    const [length = 0, width = 0] = stored.shape;
    const rows = Math.max(0, length - firstRow);
    const shape = [rows, width];
    return [{ name: engineName(target, stored), from: stored.name, firstRow, rows, shape }];
  };

/** The same numbers in another shape: axes of length one left out, those of a convolution's window joined. */
export const reshaped =
  (target: string, reshape: (shape: readonly number[]) => readonly number[]) =>
  (stored: StoredName): Slice[] => [
    { name: target, from: stored.name, firstRow: 0, rows: null, shape: reshape(stored.shape) },
  ];
