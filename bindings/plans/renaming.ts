/**
 * Renames a family's tensors to the engine's names by a table:
 *
 *     'encoder.layer.#.attention.self.query': 'encoder.layers.#.self_attn.q_proj'
 *
 * `#` stands for the layer number; weight and bias follow on both sides. Where several names map to the same tensor
 * (tied tensors stored more than once), the first entry of the table wins.
 */

import type { MatrixPurpose, Shapes, Slice } from '../weights/slices.js';

/** The target of a stored tensor: an engine name, or slices. */
export type Target = string | ((tensor: StoredName) => Slice[]);

export interface StoredName {
  readonly name: string;
  readonly shape: readonly number[];
  /** `weight`, `bias`, or nothing. */
  readonly part: string;
  /** The layer number in the name, which replaces `#` in the engine's name. */
  readonly layer: string;
}

export interface NameTable {
  /** Optional prefixes of the names: base models are saved without them. */
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
 * The slices of a model whose output projection is tied to an embedding: it is stored once, usually under the
 * embedding's name, but some programs store it under its own. Where both are stored, they may differ.
 *
 * @param embedding engine name of the embedding; `false` if the projection is not tied
 */
export function tied(slices: Slice[], embedding: string | false): Slice[] {
  if (embedding === false) return slices;
  const isStored = slices.some(({ name }) => name === embedding);
  return slices.flatMap((slice) => {
    if (slice.name !== 'projection.weight') return [slice];
    return isStored
      ? [{ ...slice, unlessSameAs: embedding }]
      : [{ ...slice, name: embedding, purpose: 'embedding' }];
  });
}

/** Heads are siblings of the base model, so their names do not have its prefix. */
const besideBase =
  /^(cls\.|(\w+_)?classifier|classification_head|vocab_|lm_head|proj_out|embed_out|final_logits_bias|qa_outputs|predictions|score$|(generator|discriminator)_)/;

/** The checkpoint's name for a missing engine tensor. */
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
  // Very old files name the parameters of norms like this.
  const part = stored.replace('gamma', 'weight').replace('beta', 'bias');
  const [layer = ''] = /(?<=\.)\d+(?=\.)/.exec(base) ?? [];
  return { pattern: generic(base), part, layer };
}

/** Only the first number is the layer's. In T5's names the second one selects the block within the layer. */
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

const as =
  (purpose: MatrixPurpose) =>
  (target: Target) =>
  (stored: StoredName): Slice[] =>
    make(target, stored).map((slice) => ({ ...slice, purpose }));

/** A target that is a table of token embeddings. All others are factors of products, as in linear layers. */
export const asEmbedding = as('embedding');
/** A target whose rows are added: positions, token types, attention biases. */
export const asTable = as('table');

/** The engine's name for a stored tensor, with its layer number and parameter filled in. */
export function engineName(target: string, { layer, part }: StoredName): string {
  return target.replace('#', layer) + (part === '' ? '' : `.${part}`);
}

/** A table of learned positions whose first rows are not used. */
export const positionsFrom =
  (firstRow: number, target: string) =>
  (stored: StoredName): Slice[] => {
    const [length = 0, width = 0] = stored.shape;
    const rows = Math.max(0, length - firstRow);
    const shape = [rows, width];
    return [{ name: engineName(target, stored), from: stored.name, firstRow, rows, shape, purpose: 'table' }];
  };

/** The same numbers in another shape: without axes of length 1, with the axes of a convolution's window merged. */
export const reshaped =
  (target: string, reshape: (shape: readonly number[]) => readonly number[]) =>
  (stored: StoredName): Slice[] => [
    { name: target, from: stored.name, firstRow: 0, rows: null, shape: reshape(stored.shape) },
  ];
