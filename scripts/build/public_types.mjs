// Leaves only the declarations that a user's compiler can reach: those of the entries, and what these import. The others, two
// thirds of them, describe what is inside; together with their maps they were a tenth of the tarball.

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { filesBelow } from '../lib/fingerprint.mjs';

const imported = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.(m?js)['"]/g;

/** The declarations that are reached from these files, with themselves. */
function reachable(entries) {
  const reached = new Set(entries);
  for (const file of reached)
    for (const [, path, kind] of readFileSync(file, 'utf8').matchAll(imported))
      reached.add(join(dirname(file), `${path}.d.${kind === 'mjs' ? 'mts' : 'ts'}`));
  return reached;
}

/**
 * @param folder the package as it will be published
 * @param entries the declarations that others import, as names in the folder
 */
export async function keepPublicTypes(folder, entries) {
  const kept = reachable(entries.map((name) => join(folder, name)));
  for (const name of filesBelow(folder, ['.'])) {
    const file = join(folder, name);
    if (/\.d\.ts(\.map)?$/.test(name) && !kept.has(file.replace(/\.map$/, ''))) await rm(file);
  }
}
