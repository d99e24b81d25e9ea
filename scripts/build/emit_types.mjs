// Turns the declarations that Embind emits into the files that TypeScript uses, bindings/*/embind.ts.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExpectedError, say } from '../lib/console.mjs';

/** The emitted declarations in build/wasm, the file that is made of each, and where it finds TensorData. */
const modules = [
  { emitted: 'transformer.d.ts', file: 'bindings/modules/embind.ts', tensor: '../values/tensor.js' },
  { emitted: 'signal.d.ts', file: 'bindings/signal/embind.ts', tensor: '../values/tensor.js' },
  {
    emitted: 'train.d.ts',
    file: 'bindings/training/embind.ts',
    tensor: '../values/tensor.js',
    shares: '../modules/embind.js',
  },
];

const header = (tensor) => `/**
 * What the wasm module has, as Embind emits it from bindings/embind: made by the build, not by hand. A name that changes
 * in C++ is a type error here.
 */

import type { TensorData } from '${tensor}';

`;

/** The members of an interface in alphabetical order; one that is an object has several lines. */
function sortMembers(declaration) {
  const [head, ...lines] = declaration.split('\n');
  if (!/^(export )?interface .*\{$/.test(head)) return declaration;
  const end = lines.pop();
  const members = lines.join('\n').split(/\n(?= {2}[^ }])/);
  return [head, ...members.sort(), end].join('\n');
}

/**
 * The types alone, using the package's names for what Embind spells out, in alphabetical order: Embind's own follows from
 * addresses, which differ from one way of linking to another.
 */
function declarationsIn(emitted) {
  const begin = emitted.search(/^export (type|interface)/m);
  const end = emitted.indexOf('export type MainModule');
  return emitted
    .slice(begin, end)
    .replaceAll('{ data: Float32Array, shape: number[] }', 'TensorData')
    .replaceAll('EmbindString', 'string')
    .replaceAll(/\{\s*\}/g, 'Record<string, never>')
    .replace('interface EmbindModule', 'export interface EmbindModule')
    .trim()
    .split(/\n\n+/)
    .map(sortMembers)
    .sort();
}

const nameOf = (declaration) => /^export (?:type|interface) (\w+)/.exec(declaration)?.[1];

/** The file's text. What another module declares, too, is imported: `shares` is its file, whose types were written first. */
function fileOf(root, { emitted, tensor, shares }) {
  const all = declarationsIn(readFileSync(join(root, 'build/wasm', emitted), 'utf8'));
  if (!shares) return `${header(tensor)}${all.join('\n\n')}\n`;
  const theirs = new Set(declarationsIn(readFileSync(join(root, 'build/wasm/transformer.d.ts'), 'utf8')).map(nameOf));
  const own = all.filter((each) => nameOf(each) === 'EmbindModule' || !theirs.has(nameOf(each)));
  const used = [...theirs].filter((name) => name !== 'EmbindModule' && own.some((each) => new RegExp(`\\b${name}\\b`).test(each)));
  const imported = `import type { ${used.sort().join(', ')} } from '${shares}';\n`;
  return `${header(tensor).replace("import type { TensorData }", `${imported}import type { TensorData }`)}${own.join('\n\n')}\n`;
}

/**
 * Writes the files that have changed. In CI a change is an error: the committed file would not match the C++.
 */
export function emitTypes(root) {
  for (const module of modules) emitFile(root, module);
}

function emitFile(root, module) {
  const { file } = module;
  const path = join(root, file);
  const types = execFileSync(join(root, 'node_modules/.bin/biome'), ['format', `--stdin-file-path=${file}`], {
    cwd: root,
    input: fileOf(root, module),
  }).toString();
  if (existsSync(path) && readFileSync(path, 'utf8') === types) return;
  if (process.env.CI) throw new ExpectedError(`${file} does not match the C++: build, then commit the file`);
  writeFileSync(path, types);
  say(`${file} has changed with the C++: commit it.`);
}
