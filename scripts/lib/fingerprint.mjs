// Detects changed files by a hash of their names and contents. Modification times would not do: a file that was copied,
// checked out or renamed may be new and still have an old time.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file at or below `paths`, relative to `root`, in a fixed order; missing paths are skipped. */
export function filesBelow(root, paths) {
  return paths.flatMap((path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (!stat) return [];
    if (!stat.isDirectory()) return [path];
    return filesBelow(
      root,
      readdirSync(join(root, path))
        .sort()
        .map((name) => join(path, name)),
    );
  });
}

/** A hash that changes when a file at or below `paths` is changed, added or removed. */
export function fingerprint(root, paths) {
  const hash = createHash('sha256');
  for (const file of filesBelow(root, paths)) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}
