// Adapts a JavaScript module written by Emscripten: node scripts/adapt_glue.mjs <module.mjs>. The build runs it after each
// link. The result works without a bundler, and unchanged in Vite, webpack and esbuild:
// - Node's own modules come from process.getBuiltinModule. An `import('module')` makes bundlers warn or fail even though it
//   never runs in a browser, and a top-level await would delay every importer.
// - Threads start from the URL of the module itself, whatever name a bundler gave to it.
// - Node's globals remain unchanged: a library that sets `Worker` misleads others that test for it.
// Newer versions of Emscripten may do some of this themselves, so a pattern may be absent; the result is checked at the end.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const path = process.argv[2];
const name = basename(path);

// The module of a debug build is not minified and may contain spaces anywhere.
const ours = (file) => `new URL\\("${file.replaceAll('.', '\\.')}",\\s*import\\.meta\\.url\\)`;
const replacements = [
  [/\bawait import\((["'])(?:node:)?module\1\)/g, 'process.getBuiltinModule("module")'],
  [/\(await import\((["'])(?:node:)?worker_threads\1\)\)/g, 'process.getBuiltinModule("worker_threads")'],
  [/\b(?:global|globalThis)\.Worker\s*=\s*worker_threads\.Worker;/g, ''],
  [/\bvar workerOptions\s*=\s*\{[^}]*\};/g, ''],
  [
    new RegExp(`worker\\s*=\\s*new Worker\\(${ours(name)},\\s*workerOptions\\)`, 'g'),
    // Uses the URL of the module itself: a bundler may have renamed the file.
    'worker=ENVIRONMENT_IS_NODE?new worker_threads.Worker(new URL(import.meta.url),{workerData:"em-pthread"}):' +
      'new Worker(new URL(import.meta.url),{type:"module",name:"em-pthread"})',
  ],
];

const forbidden = {
  'import of a Node module': /\bimport\s*\((?!\))/, // debug builds contain the text `import()` in a comment
  'code evaluated from a string': /\beval\s*\(|\bnew Function\b/,
  'event handler on process': /\bprocess(\[["']on["']\]|\.on)\s*\(/,
  'change of a global': /\b(global|globalThis)\.Worker\s*=/,
  'thread that does not start from the URL of the module': /\bworkerOptions\b|new Worker\(new URL\(["']/,
};

let text = readFileSync(path, 'utf8');
for (const [from, to] of replacements) text = text.replaceAll(from, to);

const problems = Object.keys(forbidden).filter((problem) => forbidden[problem].test(text));
if (!new RegExp(ours(name.replace(/mjs$/, 'wasm'))).test(text)) {
  problems.push('the URL of the .wasm file is not a literal beside the module');
}
if (problems.length > 0) {
  console.error(
    `${name}: ${problems.join('; ')}. scripts/adapt_glue.mjs does not know the output of this version of Emscripten.`,
  );
  process.exit(1);
}
writeFileSync(path, text);
