/** One query's attention as NumPy: what is copied runs as it is, and prints what stands on the page. */

import { plainFigures } from '../../reading/figures.js';
import type { Inputs } from '../../reading/inputs.js';
import type { Numbers } from './numbers.js';
import { rowOf } from './rows.js';

/** The shortest decimal that is the same number in float32. */
function exact(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return `${Number(text)}`;
  }
  return `${Number(value.toPrecision(9))}`;
}

const list = (values: ArrayLike<number>) => `[${Array.from(values, exact).join(', ')}]`;

const matrix = (name: string, { data, shape: [rows = 0, columns = 0] }: Inputs['keys']) => {
  const lines = Array.from({ length: rows }, (_, row) =>
    list(data.subarray(row * columns, (row + 1) * columns)),
  );
  return `${name} = np.array([\n  ${lines.join(',\n  ')}])`;
};

/** @param factor what the products are multiplied by @param read how many keys have been read */
export function numpyOf(
  inputs: Inputs,
  numbers: Numbers,
  { query, factor, read }: { readonly query: number; readonly factor: number; readonly read: number },
): string {
  const isSeen = numbers.isSeen.map((seen, key) => seen && key < read);
  const mask = isSeen.every(Boolean)
    ? []
    : [`seen = np.array(${JSON.stringify(isSeen.map(Number))}) == 1`, 's = np.where(seen, s, -np.inf)'];
  const comment = (values: ArrayLike<number>) =>
    values.length > 16 ? '' : `  # ${Array.from(values, plainFigures).join(' ')}`;
  return [
    'import numpy as np',
    `q = np.array(${list(rowOf(inputs.queries, query))})`,
    matrix('k', inputs.keys),
    matrix('v', inputs.values),
    `s = q @ k.T * ${factor}`,
    ...mask,
    'e = np.exp(s - s.max())',
    'w = e / e.sum()',
    `print(w)${comment(numbers.weights)}`,
    `print(w @ v)${comment(numbers.output)}`,
    '',
  ].join('\n');
}
