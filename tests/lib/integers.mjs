// Numbers as integers, with what every place has that tests run in.

/** Rounds to the nearest integer, ties to even. */
export function nearest(x) {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}

/** Rounds to 17 significant bits, so that multiples up to 127 are exact in float32. */
function in17Bits(x) {
  if (x === 0) return 0;
  const unit = 2 ** (Math.floor(Math.log2(x)) - 16);
  return Math.round(x / unit) * unit;
}

/** Quantises a row of numbers to 8 bits: { scale, integers }. */
export function quantizeRow(row) {
  const largest = row.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const scale = in17Bits(Math.fround(largest / 127)) || 1;
  const integers = Array.from(row, (x) => Math.max(-127, Math.min(127, nearest(Math.fround(x / scale)))) + 0);
  return { scale, integers };
}

/** The rows of a matrix, as arrays. */
export const rowsOf = ({ data, shape: [rows, cols] }) =>
  Array.from({ length: rows }, (_, row) => Array.from(data.subarray(row * cols, (row + 1) * cols)));
