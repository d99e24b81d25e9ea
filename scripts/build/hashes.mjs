// SHA-256 of what is built: each module of the engine names that of its .wasm file, and dist/HASHES lists every file, as
// `sha256sum -c HASHES` reads it.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { filesBelow } from '../lib/fingerprint.mjs';

const hashOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Writes the hash of the .wasm file into the JavaScript module that starts it, as a property of its factory. */
export function nameWasm(glue) {
  const hash = hashOf(glue.replace(/mjs$/, 'wasm'));
  const text = readFileSync(glue, 'utf8');
  const named = text.replace(/^export default (\w+);$/m, `$1.wasmHash = '${hash}';\n$&`);
  if (named === text) throw new Error(`${glue} does not export its factory`);
  writeFileSync(glue, named);
}

/** A line for each file below a folder, but for the list itself. */
export const hashesOf = (folder) =>
  filesBelow(folder, ['.'])
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path !== 'HASHES')
    .map((path) => `${hashOf(join(folder, path))}  ${path}\n`)
    .join('');

/** The names of files whose lines differ between two lists, or are only in one of them. */
export function differences(one, other) {
  const read = (text) => new Map(text.split('\n').filter(Boolean).map((line) => [line.slice(66), line.slice(0, 64)]));
  const [left, right] = [read(one), read(other)];
  return [...new Set([...left.keys(), ...right.keys()])].filter((name) => left.get(name) !== right.get(name)).sort();
}
