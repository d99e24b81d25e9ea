// Turns the declarations that Embind emits into the file that TypeScript uses, bindings/engine/embind.ts.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExpectedError, say } from './lib/console.mjs';

const header = `/**
 * What the wasm module has, as Embind emits it from bindings/embind: made by the build, not by hand. A name that changes
 * in C++ is a type error here.
 */

import type { TensorData } from './tensor.js';

`;

/** The types alone, using the package's names for what Embind spells out. */
function rewrite(emitted) {
  const begin = emitted.indexOf('export type');
  const end = emitted.indexOf('export type MainModule');
  return (
    header +
    emitted
      .slice(begin, end)
      .replaceAll('{ data: Float32Array, shape: number[] }', 'TensorData')
      .replaceAll('EmbindString', 'string')
      .replaceAll(/\{\s*\}/g, 'Record<string, never>')
      .replace('interface EmbindModule', 'export interface EmbindModule')
  );
}

/**
 * Writes the file if it has changed. In CI a change is an error: the committed file would not match the C++.
 */
export function emitTypes(root) {
  const file = join(root, 'bindings/engine/embind.ts');
  const types = execFileSync(
    join(root, 'node_modules/.bin/biome'),
    ['format', '--stdin-file-path=bindings/engine/embind.ts'],
    { cwd: root, input: rewrite(readFileSync(join(root, 'build/wasm/transformer.d.ts'), 'utf8')) },
  ).toString();
  if (existsSync(file) && readFileSync(file, 'utf8') === types) return;
  if (process.env.CI)
    throw new ExpectedError('bindings/engine/embind.ts does not match the C++: build, then commit the file');
  writeFileSync(file, types);
  say('bindings/engine/embind.ts has changed with the C++: commit it.');
}
