// Whether files are still what they were: a hash of names and contents. Times would do for make, but a file that is copied,
// checked out or renamed may be new to us and old by its time.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file at or below `paths`, relative to `root`, in one order; a path that is not there gives none. */
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

/** Changes when a file at or below `paths` does, comes or goes. */
export function fingerprint(root, paths) {
  const hash = createHash('sha256');
  for (const file of filesBelow(root, paths)) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}
