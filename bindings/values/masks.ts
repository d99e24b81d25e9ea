/** Masks. Their meaning is the same everywhere: `true` or 1 means "may attend". */

import { fail } from './errors.js';
import { toInteger } from './options.js';
import { readArray, Tensor, type TensorData, type TensorLike } from './tensor.js';

/** Nested arrays of booleans, or of 0 and 1. */
export type NestedMask = boolean | number | readonly NestedMask[];

/** A boolean or 0/1 tensor; `true` and 1 mean "may attend". */
export type MaskLike = TensorLike | readonly NestedMask[];

/** Reads a mask as floats, 0 or 1. Other values were probably meant as a bias. */
export function toMask(value: unknown, name: string): TensorData {
  const { data, shape } = readArray(value, name);
  const mask = Float32Array.from(data, (entry, i) => {
    const allowed = Number(entry);
    if (allowed !== 0 && allowed !== 1)
      fail(
        'invalid_argument',
        `${name} must hold booleans or 0 and 1 (1 = may attend), but element ${i} is ${entry}. ` +
          `To add numbers to the scores, use ${biasFor(name)}`,
      );
    return allowed;
  });
  return { data: mask, shape };
}

/** The option for what PyTorch calls a float mask, by the name of the boolean mask. */
const biasFor = (name: string) =>
  /^(src|tgt|memory)Mask$/.test(name) ? name.replace('Mask', 'Bias') : 'bias';

/** `[n, n]`: each position may attend to itself and to those before it. */
export function causalMask(n: number): Tensor {
  const size = toInteger(n, 'n', { min: 0 });
  const mask = emptyMask(size, size);
  for (let query = 0; query < size; query++) mask.data.fill(1, query * size, query * size + query + 1);
  return mask;
}

/** `[batch, n]`: the first `lengths[i]` of the n positions of sequence i are real, the others are padding. */
export function paddingMask(lengths: TensorLike, n: number): Tensor {
  const size = toInteger(n, 'n', { min: 0 });
  const real = Array.from(readArray(lengths, 'lengths').data, (length, i) =>
    toInteger(length, `lengths[${i}]`, { min: 0, max: size }),
  );
  const mask = emptyMask(real.length, size);
  for (const [row, length] of real.entries()) mask.data.fill(1, row * size, row * size + length);
  return mask;
}

function emptyMask(rows: number, columns: number): Tensor {
  if (rows * columns >= 2 ** 31)
    fail('invalid_argument', `a mask of the shape [${rows}, ${columns}] has more than 2^31 - 1 elements`);
  return new Tensor(new Float32Array(rows * columns), [rows, columns]);
}
