/**
 * Pieces of downloads in files, for Node.js: in `$XDG_CACHE_HOME/transformer-wasm`, or `~/.cache/transformer-wasm`. The
 * name of a file is the hash of its key; its first line holds the headers as JSON, the bytes follow.
 */

import type { PieceStore } from './piece_store.js';

/** Longer than the headers of any piece. */
const longestLine = 4096;

/** The headers of a file, and where its content begins. */
async function headersOf(path: string) {
  const files = globalThis.process.getBuiltinModule('node:fs/promises');
  const file = await files.open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(longestLine), 0, longestLine, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
    if (end === -1) return undefined;
    const headers: unknown = JSON.parse(new TextDecoder().decode(buffer.subarray(0, end)));
    const known = new Map(Object.entries(headers ?? {}));
    return { end, header: (name: string): string | null => known.get(name) ?? null };
  } finally {
    await file.close();
  }
}

/** @throws Error if the folder cannot be written. */
export async function openDiskStore(): Promise<PieceStore> {
  const files = globalThis.process.getBuiltinModule('node:fs/promises');
  const { join, isAbsolute } = globalThis.process.getBuiltinModule('node:path');
  const { createHash, randomUUID } = globalThis.process.getBuiltinModule('node:crypto');
  const { homedir } = globalThis.process.getBuiltinModule('node:os');
  const chosen = globalThis.process.env.XDG_CACHE_HOME ?? '';
  // The specification says to ignore relative paths.
  const folder = join(isAbsolute(chosen) ? chosen : join(homedir(), '.cache'), 'transformer-wasm');
  await files.mkdir(folder, { recursive: true });
  const pathOf = (key: string) => join(folder, createHash('sha256').update(key).digest('hex'));

  return {
    async *list() {
      for (const name of await files.readdir(folder)) {
        if (!/^[\da-f]{64}$/.test(name)) continue;
        const found = await headersOf(join(folder, name)).catch(() => undefined);
        const key = found?.header('x-key');
        if (found && key) yield { key, header: found.header };
      }
    },
    async find(key) {
      const path = pathOf(key);
      const found = await headersOf(path);
      return (
        found && {
          header: found.header,
          bytes: async () => (await files.readFile(path)).subarray(found.end + 1),
        }
      );
    },
    async put(key, headers, content) {
      const path = pathOf(key);
      // Under another name first, so that another process never reads half a piece.
      const temporary = `${path}.${randomUUID()}.part`;
      const lines = [{ ...headers, 'x-key': key }, headers].map((each) => `${JSON.stringify(each)}\n`);
      // A line that is too long to be read again would lose the piece; without its key, it is only not listed.
      const line = lines.find(({ length }) => length < longestLine) ?? '';
      try {
        await files.writeFile(temporary, [new TextEncoder().encode(line), content]);
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
