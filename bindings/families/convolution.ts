/** How convolutions over time are stored. */

import type { StoredName } from '../plans/renaming.js';
import type { Slice } from '../weights/slices.js';

/** [out, in, window] -> [out, window * in]: the engine has the numbers of a frame side by side. */
export const convolution =
  (target: string) =>
  ({ name, shape, part }: StoredName): Slice[] => {
    const whole = { name: `${target}.${part}`, from: name, firstRow: 0, rows: null };
    if (part !== 'weight') return [{ ...whole, shape }];
    const [out = 0, width = 0, window = 0] = shape;
    const view = { dims: [out, window, width], strides: [width * window, 1, window], offset: 0 };
    return [{ ...whole, shape: [out, window * width], view }];
  };
