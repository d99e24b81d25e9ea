// Formats the C++ in place: node scripts/format_cpp.mjs [--check]; with --check it changes nothing and fails if it would.

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, runMain, step } from './lib/console.mjs';
import { findProgram } from './setup/debian.mjs';
import { ensurePackages } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const sources = ['src', 'bindings', 'tests/native', 'tests/fuzz'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.(h|cpp)$/.test(name))
    .map((name) => join(folder, name)),
);

await runMain(async () => {
  await ensurePackages(['format']);
  const check = process.argv.includes('--check');
  // Always the same version, since others break lines differently.
  const clangFormat = findProgram('clang-format-19', 'clang-format');
  const mode = check ? ['--dry-run', '-Werror'] : ['-i'];
  await step(`${check ? 'Checking the format of' : 'Formatting'} ${sources.length} C++ files`, () =>
    run(clangFormat, [...mode, ...sources], { cwd: root }),
  );
});
