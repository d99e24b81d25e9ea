// File sizes: raw, and compressed as a server sends them.

import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { say } from './console.mjs';

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

export const sizesOf = (data) => ({
  raw: data.length,
  gzip: gzipSync(data, { level: 9 }).length,
  // Brotli's highest level would take longer than a build with nothing to do.
  brotli: brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length,
});

/** Prints a table of [name, bytes] rows and returns the sums of its columns. */
export function printSizes(files, { total = false } = {}) {
  const rows = files.map(([name, data]) => [name, sizesOf(data)]);
  const sum = { raw: 0, gzip: 0, brotli: 0 };
  for (const [, sizes] of rows) for (const column of Object.keys(sum)) sum[column] += sizes[column];
  if (total) rows.push(['total', sum]);
  const width = Math.max(...rows.map(([name]) => name.length));
  say(
    `${''.padEnd(width)} ${Object.keys(sum)
      .map((column) => column.padStart(11))
      .join('')}`,
  );
  for (const [name, sizes] of rows) {
    say(
      `${name.padEnd(width)} ${Object.values(sizes)
        .map((bytes) => kilobytes(bytes).padStart(11))
        .join('')}`,
    );
  }
  return sum;
}
