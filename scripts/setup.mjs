// Makes this checkout ready to build and test: node scripts/setup.mjs [--native] [--wasm] [--grammar] [--browser] [--npm]
// Without options, everything. It can be run repeatedly: what is already there is left alone, silently.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError, runMain } from './lib/console.mjs';
import { ensurePackages } from './setup/debian.mjs';
import { ensureNpmPackages } from './setup/npm.mjs';
import { ensureWasmToolchain } from './setup/wasm_toolchain.mjs';

export { ensureNpmPackages, ensurePackages, ensureWasmToolchain };

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const parts = {
  '--native': async () => {
    await ensurePackages(['native', 'sanitizers', 'format']);
    // The native build takes xsimd from the wasm toolchain: Debian 12's version is too old.
    await ensureWasmToolchain();
  },
  '--wasm': ensureWasmToolchain,
  '--grammar': () => ensurePackages(['grammar']),
  '--browser': () => ensurePackages(['browser']),
  '--npm': async () => {
    await ensureNpmPackages(root);
    // The API documentation has npm packages of its own, and so has the older TypeScript.
    await ensureNpmPackages(join(root, 'scripts/docs'));
    await ensureNpmPackages(join(root, 'tests/types'));
  },
};

async function main() {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0)
    throw new ExpectedError(`Unknown: ${unknown.join(' ')}. Parts: ${Object.keys(parts).join(' ')}`);
  if (asked.length === 0)
    await ensurePackages(['native', 'sanitizers', 'format', 'grammar', 'browser', 'parallel']);
  for (const name of asked.length > 0 ? asked : Object.keys(parts)) await parts[name]();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
