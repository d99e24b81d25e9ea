// Adapts a JavaScript module written by Emscripten: node scripts/build/adapt_glue.mjs <module.mjs>. The build runs it after each
// link. The result works without a bundler, and unchanged in Vite, webpack and esbuild:
// - Node's own modules come from process.getBuiltinModule. An `import('module')` makes bundlers warn or fail even though it
//   never runs in a browser, and a top-level await would delay every importer.
// - `process` is read from globalThis: Parcel replaces the plain name by a package of its own, or fails without it.
// - Threads are started by the package (bindings/modules/glue.ts), which knows the module's address, whatever a bundler made
//   of it, and can start a worker from another origin.
// - There is no `import.meta`, so that the text is valid in any kind of script, and nothing depends on its own address.
// - Node's globals remain unchanged: a library that sets `Worker` misleads others that test for it.
// - No thread waits asynchronously for its mailbox: a pending Atomics.waitAsync holds the memory of its engine forever, whatever
//   ends the threads. Without that function, as in older browsers, Emscripten posts messages instead.
// - Threads register no bindings, since no JavaScript calls them: each would take time to start and 2 kB of the heap for its own.
// - What Embind took from the heap for the arguments of a call is freed where the call fails, too.
// Newer versions of Emscripten may do some of this themselves, so a pattern may be absent; the result is checked at the end.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const path = process.argv[2];
const name = basename(path);

// The module of a debug build is not minified and may contain spaces anywhere.
const own = (file) => `new URL\\(["']${file.replaceAll('.', '\\.')}["'],\\s*import\\.meta\\.url\\)`;
const freeProcess = /(?<![\w$.'"])process(?![\w$'":]| +[a-z])/g;
const replacements = [
  [/\bawait import\((["'])(?:node:)?module\1\)/g, 'process.getBuiltinModule("module")'],
  [/\(await import\((["'])(?:node:)?worker_threads\1\)\)/g, 'process.getBuiltinModule("worker_threads")'],
  [/\b(?:global|globalThis)\.Worker\s*=\s*worker_threads\.Worker;/g, ''],
  [/\bvar workerOptions\s*=\s*\{[^}]*\};/g, ''],
  [
    new RegExp(`worker\\s*=\\s*new Worker\\(${own(name)},\\s*workerOptions\\)`, 'g'),
    'worker=Module["startThread"]()',
  ],
  // The package always compiles the file itself.
  [new RegExp(`${own(name.replace(/mjs$/, 'wasm'))}\\.href`, 'g'), `"${name.replace(/mjs$/, 'wasm')}"`],
  [/\bconst\s*\{\s*createRequire\s*\}\s*=\s*process\.getBuiltinModule\("module"\);/g, ''],
  [/\bcreateRequire\((?:dirname|import\.meta\.url)\)/g, 'process.getBuiltinModule'],
  [/\blet dirname\s*=\s*import\.meta\.url;\s*if\s*\(dirname\.startsWith\([^)]*\)\)\s*\{[^}]*\}/g, ''],
  [/\bif\s*\(!import\.meta\.url\.startsWith\([^)]*\)\)\s*\{[^}]*\}/g, ''],
  [/\b__embind_initialize_bindings\(\);\s*initializedJS/g, 'initializedJS'],
  [/\bif\s*\(typeof Atomics\.waitAsync\s*===?\s*(["'])function\1\)\s*\{[^{}]*\}/g, ''],
  [
    /var rv\s*=\s*cppInvokerFunc\(\.\.\.invokerFuncArgs\);/g,
    'var rv;try{rv=cppInvokerFunc(...invokerFuncArgs)}catch(thrown){if(needsDestructorStack)runDestructors(destructors);else for(var j=isClassMethodFunc?1:2;j<argTypes.length;j++)argTypes[j].destructorFunction?.(j===1?thisWired:argsWired[j-2]);throw thrown}',
  ],
  [/\bvar _scriptName\s*=\s*import\.meta\.url;/g, 'var _scriptName="";'],
  [freeProcess, 'globalThis.process'],
];

const forbidden = {
  'import of a Node module': /\bimport\s*\((?!\))/, // debug builds contain the text `import()` in a comment
  'code evaluated from a string': /\beval\s*\(|\bnew Function\b/,
  'event handler on process': /\bprocess(\[["']on["']\]|\.on)\s*\(/,
  'change of a global': /\b(global|globalThis)\.Worker\s*=/,
  'bindings registered in threads': /__embind_initialize_bindings\(\);\s*initializedJS/,
  'wait that nothing ends': /^(?!\s*\/\/).*\bAtomics\.waitAsync\b/m, // debug builds contain it in a comment
  'thread that the package does not start': /\bworkerOptions\b|\bnew Worker\(/,
  'address of its own': /^(?!\s*\/\/).*\bimport\.meta\b/m,
};

let text = readFileSync(path, 'utf8');
for (const [from, to] of replacements) text = text.replaceAll(from, to);

const problems = Object.keys(forbidden).filter((problem) => forbidden[problem].test(text));
if (problems.length > 0) {
  console.error(
    `${name}: ${problems.join('; ')}. scripts/build/adapt_glue.mjs does not know the output of this version of Emscripten.`,
  );
  process.exit(1);
}
writeFileSync(path, text);
