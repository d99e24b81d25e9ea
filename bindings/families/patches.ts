/** How the front end of a vision transformer is stored. */

import { asTable, type StoredName } from '../plans/renaming.js';
import { elements } from '../values/tensor.js';
import type { Slice } from '../weights/slices.js';

/** A convolution whose windows do not overlap: a matrix product. */
export const patchLayerOf =
  (front: string) =>
  ({ name, shape, part }: StoredName): Slice[] => {
    const [out = 0, ...window] = shape;
    const joined = part === 'weight' ? [out, elements(window)] : shape;
    return [{ name: `${front}.patches.${part}`, from: name, firstRow: 0, rows: null, shape: joined }];
  };

export const patchLayer = patchLayerOf('front');

/** Learned rows [rows, width], whatever axes are before them. */
export const frontRows = (name: string, front = 'front') =>
  asTable((stored: StoredName): Slice[] => {
    const width = stored.shape.at(-1) ?? 0;
    const shape = [elements(stored.shape) / width, width];
    return [{ name: `${front}.${name}`, from: stored.name, firstRow: 0, rows: null, shape }];
  });
