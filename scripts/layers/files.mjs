// The files of a tree, and what is said of one.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths from `root` on, of the files below `folders` whose paths match `name`. */
export const filesIn = (root, folders, name) =>
  folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => name.test(path))
    .sort();

/** Every include or import in the files of one kind: { file, line: its number, text, target }. */
export function referencesIn(root, { folders, name, reference }) {
  return filesIn(root, folders, name).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((text, index) => ({
        file,
        line: index + 1,
        text: text.trim(),
        target: text.match(reference)?.slice(1).find(Boolean),
      }))
      .filter(({ target }) => target !== undefined),
  );
}

export const violation = ({ file, line, text }, rule) => `${file}:${line}: ${text}\n    ${rule}`;
