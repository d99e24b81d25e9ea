/** How the engine keeps the matrices of a GGUF file, and what that rounds. */

import { type Dtype, isQuantizedDtype, type LoadDtype } from '../../engine/dtype.js';
import { elements } from '../../values/tensor.js';
import type { GgufTensor } from '../../weights/gguf_header.js';

/** The blocks that the engine keeps as they are: groups of 32 integers of 4 bits with one scale each. */
const keptBlocks: Readonly<Record<string, Dtype>> = { Q4_0: 'int4' };

/** The types of most matrices first. */
function blocksOf(tensors: readonly GgufTensor[]): string[] {
  const counts = new Map<string, number>();
  for (const { shape, type: stored } of tensors) {
    if (shape.length < 2) continue;
    const type = stored.numbers === 1 ? '' : stored.name;
    counts.set(type, (counts.get(type) ?? 0) + elements(shape));
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([type]) => type);
}

/** In 4 bits if most numbers are kept so as they are, in 8 bits if others are in blocks; `null` without blocks. */
export function keptAs(tensors: readonly GgufTensor[]): Dtype | null {
  const [most = ''] = blocksOf(tensors);
  return most === '' ? null : (keptBlocks[most] ?? 'int8');
}

/** `null` where nothing is rounded. */
export function roundingNote(tensors: readonly GgufTensor[], dtype: LoadDtype): string | null {
  if (dtype === 'auto' || !isQuantizedDtype(dtype)) return null;
  const blocks = blocksOf(tensors).filter((type) => type !== '');
  const kept = blocks.filter((type) => keptBlocks[type] === dtype);
  const rounded = blocks.filter((type) => !kept.includes(type));
  const sentences = [
    ...(kept.length > 0
      ? [
          `The numbers of ${kept.join(', ')} are kept as they are, but for embeddings, which are rounded to int8.`,
        ]
      : []),
    ...(rounded.length > 0
      ? [
          `The numbers of ${rounded.join(', ')} are rounded once more, to ${dtype}; dtype: 'f32' keeps them as they are.`,
        ]
      : []),
  ];
  return sentences.length > 0 ? sentences.join(' ') : null;
}
