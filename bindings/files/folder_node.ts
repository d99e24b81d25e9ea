/** A folder on disk, in Node.js. Node's modules are requested at run time so that browser bundlers find no import. */

import { fail } from '../values/errors.js';
import type { Folder, MissingFile, OpenFile } from './folder.js';

export function isNode(): boolean {
  return (
    typeof globalThis.process?.getBuiltinModule === 'function' && Boolean(globalThis.process.versions?.node)
  );
}

/** Whether there is a folder at a path. */
export async function isFolder(path: string): Promise<boolean> {
  const { stat } = globalThis.process.getBuiltinModule('node:fs/promises');
  return stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  );
}

const piece = 4 << 20;

export function folderOfPath(path: string | URL): Folder {
  const { open, readdir, constants } = globalThis.process.getBuiltinModule('node:fs/promises');
  const { join } = globalThis.process.getBuiltinModule('node:path');
  const folder =
    typeof path === 'string' ? path : globalThis.process.getBuiltinModule('node:url').fileURLToPath(path);
  return {
    name: folder,
    names: () => readdir(folder).catch(() => []),
    async open(name) {
      const full = join(folder, name);
      // O_NONBLOCK, which Windows lacks: to open a pipe would otherwise wait for its writer, perhaps for ever.
      const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
      const handle = await open(full, flags).catch((error: NodeJS.ErrnoException) => notOpened(full, error));
      if ('missing' in handle) return handle;
      const status = await handle.stat().catch(() => null);
      if (status?.isFile()) return fileOfHandle(handle, full, status.size);
      await handle.close();
      return { missing: `${full} is not a file` };
    },
  };
}

function notOpened(path: string, error: NodeJS.ErrnoException): MissingFile {
  if (error.code === 'ENOENT') return { missing: `there is no file ${path}` };
  if (error.code === 'ENOTDIR') return { missing: `${path} is not inside a folder` };
  return fail('missing_file', `${path} could not be read: ${error.message}`);
}

type FileHandle = Awaited<ReturnType<typeof import('node:fs/promises')['open']>>;

function fileOfHandle(handle: FileHandle, path: string, size: number): OpenFile {
  const close = () => handle.close();
  async function* bytes(begin: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    // A single reused buffer: one per piece would outpace the garbage collector.
    const buffer = new Uint8Array(Math.min(piece, end - begin));
    for (let place = begin; place < end; ) {
      const { bytesRead } = await handle
        .read(buffer, 0, Math.min(buffer.length, end - place), place)
        .catch((error: Error) => fail('missing_file', `${path} could not be read: ${error.message}`));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      place += bytesRead;
    }
  }
  return {
    size,
    announcedSize: size,
    async *bytes() {
      try {
        yield* bytes(0, size);
      } finally {
        await close();
      }
    },
    seekable: async () => ({ size, bytes, close }),
    close,
  };
}
