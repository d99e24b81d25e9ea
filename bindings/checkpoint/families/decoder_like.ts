/** What GPT-2, Llama and BLOOM share: a decoder alone, with norms before each block and at the end. */

import type { StackConfig, TransformerConfig } from '../../engine/embind.js';
import type { Slice } from '../weights/slices.js';
import type { StoredName } from './renaming.js';
import { preNorm, type Stack } from './stack.js';

/** @param isTied whether the output projection is the embedding */
export function decoderModel(
  decoder: Stack & Pick<StackConfig, 'vocab'>,
  isTied: boolean,
): Partial<TransformerConfig> {
  return { decoder: preNorm(decoder), projection: { vocab: decoder.vocab, tied: isTied } };
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
