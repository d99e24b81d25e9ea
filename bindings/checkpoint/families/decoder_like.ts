/** What GPT-2, Llama and BLOOM have in common: a decoder alone, norms before each block and at the end. */

import { defaultEngineConfig, type EngineConfig } from '../../engine/engine_config.js';
import type { Slice } from '../weights/slices.js';
import type { StoredName } from './renaming.js';

export type DecoderSizes = Pick<
  EngineConfig,
  'dModel' | 'numHeads' | 'dFf' | 'numDecoderLayers' | 'activation' | 'eps' | 'tgtVocabSize' | 'tieEmbeddings'
>;

export function decoderEngine(sizes: DecoderSizes): EngineConfig {
  return {
    ...defaultEngineConfig,
    ...sizes,
    numKvHeads: sizes.numHeads,
    kDim: sizes.dModel,
    vDim: sizes.dModel,
    numEncoderLayers: 0,
    bias: true,
    norm: 'pre',
    encoderNorm: false,
    decoderNorm: true,
    srcVocabSize: sizes.tgtVocabSize,
    shareEmbeddings: false,
    projection: true,
    projectionBias: false,
    positions: 'none',
  };
}

/** A weight that is stored as [in, out], and rows of it where it holds several layers side by side. */
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
