/**
 * Pieces of downloads in files, for Node.js: in `$XDG_CACHE_HOME/transformer-wasm`, or `~/.cache/transformer-wasm`. The
 * name of a file is the hash of its key; its first line holds the headers as JSON, the bytes follow.
 */

import type { PieceStore } from './piece_store.js';

/** Longer than the headers of any piece. */
const longestLine = 4096;

/** @throws Error if the folder cannot be written. */
export async function openDiskStore(): Promise<PieceStore> {
  const files = process.getBuiltinModule('node:fs/promises');
  const { join, isAbsolute } = process.getBuiltinModule('node:path');
  const { createHash, randomUUID } = process.getBuiltinModule('node:crypto');
  const { homedir } = process.getBuiltinModule('node:os');
  const chosen = process.env.XDG_CACHE_HOME ?? '';
  // The specification says to ignore relative paths.
  const folder = join(isAbsolute(chosen) ? chosen : join(homedir(), '.cache'), 'transformer-wasm');
  await files.mkdir(folder, { recursive: true });
  const pathOf = (key: string) => join(folder, createHash('sha256').update(key).digest('hex'));

  return {
    async find(key) {
      const path = pathOf(key);
      const file = await files.open(path).catch(() => undefined);
      if (!file) return undefined;
      try {
        const { buffer, bytesRead } = await file.read(new Uint8Array(longestLine), 0, longestLine, 0);
        const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
        if (end === -1) return undefined;
        const headers: unknown = JSON.parse(new TextDecoder().decode(buffer.subarray(0, end)));
        const known = new Map(Object.entries(headers ?? {}));
        return {
          header: (name) => known.get(name) ?? null,
          bytes: async () => (await files.readFile(path)).subarray(end + 1),
        };
      } finally {
        await file.close();
      }
    },
    async put(key, headers, content) {
      const path = pathOf(key);
      // Under another name first, so that another process never reads half a piece.
      const temporary = `${path}.${randomUUID()}.part`;
      try {
        await files.writeFile(temporary, [new TextEncoder().encode(`${JSON.stringify(headers)}\n`), content]);
        await files.rename(temporary, path);
      } catch (error) {
        await files.rm(temporary, { force: true });
        throw error;
      }
    },
    async delete(key) {
      return files.rm(pathOf(key)).then(
        () => true,
        () => false,
      );
    },
  };
}
