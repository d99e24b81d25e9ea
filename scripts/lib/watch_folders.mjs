// Reports changed files in folders and their subfolders. There is one watcher per folder because on Linux the recursive watcher
// of Node 20 loses files that an editor replaces by renaming.

import { readdirSync, watch } from 'node:fs';
import { join, sep } from 'node:path';

const outputs = new Set(['node_modules', '__pycache__', 'build', 'dist']);
/** Outputs of tools, and temporary files of editors. */
const isIgnored = (name) => outputs.has(name) || name.startsWith('.') || name.endsWith('~');

function subfolders(folder) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && !isIgnored(entry.name)).map(({ name }) => name);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Calls `onChange(path)` whenever something in `folders` or below is created, changed, renamed or removed. */
export function watchFolders(folders, onChange) {
  const watchers = new Map();

  const forget = (path) => {
    for (const [folder, watcher] of watchers) {
      if (folder !== path && !folder.startsWith(path + sep)) continue;
      watcher.close();
      watchers.delete(folder);
    }
  };

  const follow = (path) => {
    const below = subfolders(path);
    if (!below) return;
    const watcher = watch(path, (event, name) => {
      if (!name || isIgnored(name)) return;
      const changed = join(path, name);
      if (event === 'rename') {
        // Created or removed. A folder that was created again under the same name needs a new watcher.
        forget(changed);
        follow(changed);
      }
      onChange(changed);
    });
    watcher.on('error', () => forget(path));
    watchers.set(path, watcher);
    for (const name of below) follow(join(path, name));
  };

  for (const folder of folders) follow(folder);
  return { close: () => folders.forEach(forget) };
}
