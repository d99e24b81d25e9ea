/**
 * What is refused of every folder: names that lead out of it, and pointer files, which a git repository holds in place
 * of large files that were not fetched.
 */

import { fail } from '../values/errors.js';
import type { Folder, OpenFile } from './folder.js';
import { isInsideFolder } from './inside_folder.js';

const firstLine = 'version https://git-lfs.github.com/spec/';

/** The folder, which opens none but its own files, and none that points to a large file rather than being it. */
export function withoutPointers(folder: Folder): Folder {
  return {
    ...folder,
    async open(name, signal) {
      if (!isInsideFolder(name))
        fail('bad_checkpoint', `${JSON.stringify(name)} is not the name of a file in ${folder.name}`);
      const file = await folder.open(name, signal);
      return 'missing' in file ? file : checked(file, name);
    },
  };
}

function checked(file: OpenFile, name: string): OpenFile {
  return {
    ...file,
    async *bytes(isWhole) {
      let isFirst = true;
      for await (const piece of file.bytes(isWhole)) {
        if (isFirst) refusePointer(piece, name);
        isFirst = false;
        yield piece;
      }
    },
    async seekable(onDownload) {
      const seekable = await file.seekable(onDownload);
      try {
        for await (const piece of seekable.bytes(0, Math.min(seekable.size, firstLine.length))) {
          refusePointer(piece, name);
          break;
        }
        return seekable;
      } catch (error) {
        await seekable.close();
        throw error;
      }
    },
  };
}

function refusePointer(piece: Uint8Array, name: string): void {
  // Most pieces are told apart by their first byte.
  if (piece[0] !== firstLine.charCodeAt(0)) return;
  if (new TextDecoder().decode(piece.subarray(0, firstLine.length)) !== firstLine) return;
  fail(
    'bad_checkpoint',
    `${name} is a pointer of Git LFS and not the file itself: fetch the file with 'git lfs pull', or download it`,
  );
}
