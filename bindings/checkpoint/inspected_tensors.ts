/** The tensors of a checkpoint's files, and what becomes of each. */

import { isKnownBuffer } from '../plans/torch_names.js';
import { scaleName } from '../weights/quantization.js';
import type { Slice } from '../weights/slices.js';
import type { WeightFiles } from '../weights/weight_file.js';

export interface InspectedTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** The engine tensors made of it; empty if it is not used. */
  readonly becomes: readonly string[];
  /** A table that can be computed, so ignoring it loses nothing. */
  readonly isBuffer: boolean;
  /** Shape of the scales of a quantised matrix; `null` for floating point. */
  readonly scaleShape: readonly number[] | null;
}

/** Scales are listed with their matrices. */
export function describeTensors({ tensors }: WeightFiles, slices: readonly Slice[]): InspectedTensor[] {
  const integers = new Set(tensors.filter(({ dtype }) => dtype === 'I8').map(({ name }) => scaleName(name)));
  const scales = new Map(
    tensors.filter(({ name }) => integers.has(name)).map(({ name, shape }) => [name, shape]),
  );
  return tensors
    .filter(({ name }) => !scales.has(name))
    .map(({ name, dtype, shape }) => ({
      name,
      dtype,
      shape,
      becomes: slices.filter(({ from }) => from === name).map((slice) => slice.name),
      isBuffer: isKnownBuffer(name),
      scaleShape: (dtype === 'I8' && scales.get(scaleName(name))) || null,
    }));
}
