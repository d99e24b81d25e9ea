/** What the decoder-only families share. */

import type { Fields } from '../files/fields.js';
import type { LayerConfig, StackConfig, TransformerConfig } from '../modules/embind.js';
import { readTokens, type TransformerPlan } from '../plans/family.js';
import { type NameTable, nameBefore, renamed, type StoredName, tied } from '../plans/renaming.js';
import { preNorm, type Stack, withLayer } from '../plans/stack.js';
import type { Shapes, Slice } from '../weights/slices.js';

/**
 * A decoder with norms before each block and at the end.
 *
 * @param isTied whether the output projection is the embedding
 * @param normPlace a variant of "before each block"
 */
export function decoderModel(
  decoder: Stack & Pick<StackConfig, 'vocab'>,
  isTied: boolean,
  normPlace: LayerConfig['normPlace'] = 'pre',
): Partial<TransformerConfig> {
  const stack = withLayer(preNorm(decoder), { normPlace });
  return { decoder: stack, projection: { vocab: decoder.vocab, tied: isTied } };
}

/** The plan of a decoder alone. */
export function planDecoder(
  fields: Fields,
  shapes: Shapes,
  { model, table, maxPositions }: Pick<TransformerPlan, 'model' | 'maxPositions'> & { table: NameTable },
): TransformerPlan {
  return {
    model,
    slices: tied(renamed(shapes, table), model.projection?.tied === true && 'decoder.embedding.weight'),
    tokens: readTokens(fields, false),
    maxPositions,
    storedName: (name) => nameBefore(name, table),
  };
}

/** The plan of a decoder as that of an encoder, which sees later tokens too. */
export function asEncoder({ model, slices, storedName, ...plan }: TransformerPlan): TransformerPlan {
  const { decoder, ...rest } = model;
  const inEncoder = (name: string) => name.replace(/^decoder\./, 'encoder.');
  return {
    ...plan,
    model: { ...rest, ...(decoder && { encoder: decoder }) },
    slices: slices.map((slice) => ({
      ...slice,
      name: inEncoder(slice.name),
      ...(slice.unlessSameAs && { unlessSameAs: inEncoder(slice.unlessSameAs) }),
    })),
    storedName: (name) => storedName?.(name.replace(/^encoder\./, 'decoder.')) ?? name,
  };
}

/** Splits a weight stored as [in, out] into the layers whose columns it holds side by side. */
export function transposed(stored: StoredName, targets: readonly string[]): Slice[] {
  const [first = 0, second = 0] = stored.shape;
  const isMatrix = stored.shape.length === 2;
  const out = Math.floor((isMatrix ? second : first) / targets.length);
  return targets.map((target, i) => {
    const slice = { name: target, from: stored.name, firstRow: 0, rows: null };
    if (!isMatrix) return { ...slice, firstRow: i * out, rows: out, shape: [out] };
    const view = { offset: i * out, dims: [out, first], strides: [1, second] };
    return { ...slice, shape: [out, first], view };
  });
}
