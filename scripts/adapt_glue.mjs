// Makes a module that Emscripten wrote a good citizen: node scripts/adapt_glue.mjs <module.mjs>. The build runs it after
// each link. What comes out works unbundled, and as it is in Vite, webpack and esbuild:
// - Node's own modules are asked of Node. An `import('module')`, though it never runs in a browser, makes a bundler warn or
//   stop; and the one at top level would make every importer wait.
// - Its threads start from the address that it was itself loaded from, whatever a bundler called the copy.
// - Node's globals stay as they were: a library that sets `Worker` misleads others that look for it.
// A newer Emscripten may write some of this itself, so a pattern may be absent, but what must hold is checked at the end.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const path = process.argv[2];
const name = basename(path);

// A debug build's module is not minified: spaces may be anywhere.
const ours = (file) => `new URL\\("${file.replaceAll('.', '\\.')}",\\s*import\\.meta\\.url\\)`;
const replacements = [
  [/\bawait import\((["'])(?:node:)?module\1\)/g, 'process.getBuiltinModule("module")'],
  [/\(await import\((["'])(?:node:)?worker_threads\1\)\)/g, 'process.getBuiltinModule("worker_threads")'],
  [/\b(?:global|globalThis)\.Worker\s*=\s*worker_threads\.Worker;/g, ''],
  [/\bvar workerOptions\s*=\s*\{[^}]*\};/g, ''],
  [
    new RegExp(`worker\\s*=\\s*new Worker\\(${ours(name)},\\s*workerOptions\\)`, 'g'),
    // By the address that it was itself loaded from: a bundler that copied the module gave the copy another name.
    'worker=ENVIRONMENT_IS_NODE?new worker_threads.Worker(new URL(import.meta.url),{workerData:"em-pthread"}):' +
      'new Worker(new URL(import.meta.url),{type:"module",name:"em-pthread"})',
  ],
];

const forbidden = {
  'import of a Node module': /\bimport\s*\((?!\))/, // a comment in a debug build speaks of `import()`
  'code made from a string': /\beval\s*\(|\bnew Function\b/,
  'handler on the process': /\bprocess(\[["']on["']\]|\.on)\s*\(/,
  'change of a global': /\b(global|globalThis)\.Worker\s*=/,
  'thread that does not start from its own address': /\bworkerOptions\b|new Worker\(new URL\(["']/,
};

let text = readFileSync(path, 'utf8');
for (const [from, to] of replacements) text = text.replaceAll(from, to);

const problems = Object.keys(forbidden).filter((problem) => forbidden[problem].test(text));
if (!new RegExp(ours(name.replace(/mjs$/, 'wasm'))).test(text)) {
  problems.push('the wasm is not found by a literal URL beside the module');
}
if (problems.length > 0) {
  console.error(
    `${name}: ${problems.join('; ')}. This Emscripten writes what scripts/adapt_glue.mjs does not know.`,
  );
  process.exit(1);
}
writeFileSync(path, text);
