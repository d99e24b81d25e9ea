/** Matrices of 4-bit integers, eight in a word of 32 bits, as several programs store them; widened to float32. */

/** Where the integers of a matrix are, the scale and the zero point of each group, and the group of each input. */
export interface PackedMatrix {
  /** The axis of the stored matrix along which its outputs are: 0 for [out, in], 1 for [in, out]. */
  readonly axis: 0 | 1;
  readonly inputs: number;
  readonly outputs: number;
  readonly integers: Words;
  /** Element `output * scaleSteps[0] + group * scaleSteps[1]`. */
  readonly scales: Float32Array;
  readonly scaleSteps: readonly [output: number, group: number];
  /** `null`: the zero point is 8. */
  readonly zeros: Words | null;
  /** Is added to the stored zero points, in 4 bits. */
  readonly addedToZeros: number;
  readonly groups: ArrayLike<number>;
}

/** Integers of 4 bits: word `output * steps[0] + other * steps[1]`, after dividing the packed one of both by 8. */
export interface Words {
  readonly words: Uint32Array;
  readonly steps: readonly [output: number, other: number];
  /** Whether eight outputs share a word; else eight inputs do. */
  readonly packsOutputs: boolean;
  /** The place in the word of each of the eight. */
  readonly order: readonly number[];
}

export const inOrder = [0, 1, 2, 3, 4, 5, 6, 7];

function integerAt({ words, steps, packsOutputs, order }: Words, output: number, other: number): number {
  const packed = packsOutputs ? output : other;
  const word = packsOutputs
    ? (output >> 3) * steps[0] + other * steps[1]
    : output * steps[0] + (other >> 3) * steps[1];
  return ((words[word] ?? 0) >>> (4 * (order[packed & 7] ?? 0))) & 15;
}

/** Rows `first` to `first + rows` of the stored matrix, (integer - zero) * scale: exact for scales of 16 bits. */
export function widenRows(matrix: PackedMatrix, first: number, rows: number): Float32Array {
  const { axis, inputs, outputs, integers, scales, scaleSteps, zeros, addedToZeros, groups } = matrix;
  const cols = axis === 0 ? inputs : outputs;
  const floats = new Float32Array(rows * cols);
  let i = 0;
  for (let row = first; row < first + rows; row++) {
    for (let col = 0; col < cols; col++) {
      const [output, input] = axis === 0 ? [row, col] : [col, row];
      const group = groups[input] ?? 0;
      const zero = zeros ? (integerAt(zeros, output, group) + addedToZeros) & 15 : 8;
      const scale = scales[output * scaleSteps[0] + group * scaleSteps[1]] ?? 0;
      floats[i++] = (integerAt(integers, output, input) - zero) * scale;
    }
  }
  return floats;
}
