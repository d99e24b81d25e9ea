/** How convolutions over time are stored. */

import type { StoredName } from '../plans/renaming.js';
import { elements } from '../values/tensor.js';
import type { Slice } from '../weights/slices.js';

/** [out, in, window] -> [out, in * window] */
export const convolution =
  (target: string) =>
  ({ name, shape, part }: StoredName): Slice[] => {
    const [out = 0, ...rest] = shape;
    const joined = part === 'weight' ? [out, elements(rest)] : shape;
    return [{ name: `${target}.${part}`, from: name, firstRow: 0, rows: null, shape: joined }];
  };
