/**
 * Files that a browser keeps for all sites, by their SHA-256: Cross-Origin Storage, a proposal
 * (https://github.com/WICG/cross-origin-storage). What another site stored is not downloaded again.
 */

import type { Folder } from './folder.js';
import { fileOf, seekableBlob } from './folder_files.js';

interface Hash {
  readonly algorithm: 'SHA-256';
  /** In hexadecimal digits. */
  readonly value: string;
}

/** Without `origins`, only pages of the same site can take the file. */
interface Creation {
  readonly create: true;
  readonly origins?: '*';
}

interface Writable {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

interface SharedFile {
  getFile(): Promise<Blob>;
  createWritable(): Promise<Writable>;
}

/** The part of `navigator.crossOriginStorage` that is needed. */
export interface SharedStorage {
  /** Rejects where there is no such file, or this site may not know of it. */
  requestFileHandle(hash: Hash, options?: Creation): Promise<SharedFile>;
}

/** What this browser has of it; `undefined` almost everywhere. */
export const sharedStorage = (): SharedStorage | undefined =>
  (globalThis.navigator as { crossOriginStorage?: SharedStorage } | undefined)?.crossOriginStorage;

/**
 * The folder, of which files with a known hash are taken from the storage, or put there as they are read: for every
 * site if they are those of a hub that anybody gets without a token. Whether they are what the hash says, the browser
 * checks on the way in, and the caller once more.
 */
export const withSharedStorage = (
  folder: Folder,
  hashes: ReadonlyMap<string, string>,
  { storage, hasToken }: { readonly storage: SharedStorage; readonly hasToken: boolean },
): Folder => ({
  ...folder,
  async open(name, signal) {
    const value = hashes.get(name);
    if (value === undefined) return folder.open(name, signal);
    const hash: Hash = { algorithm: 'SHA-256', value };
    const shared = await orNothing(async () => (await storage.requestFileHandle(hash)).getFile());
    if (shared) return fileOf(seekableBlob(shared));
    const file = await folder.open(name, signal);
    if ('missing' in file) return file;
    const isPublic = !hasToken && (folder.commit?.() ?? null) !== null;
    const creation: Creation = isPublic ? { create: true, origins: '*' } : { create: true };
    const create = async () => (await storage.requestFileHandle(hash, creation)).createWritable();
    return { ...file, bytes: (isWhole) => storing(file.bytes(isWhole), create) };
  },
});

/** A storage is a help and no condition: people may refuse, and a disk may be full. */
async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

async function* storing(
  bytes: AsyncIterable<Uint8Array>,
  create: () => Promise<Writable>,
): AsyncGenerator<Uint8Array, void, void> {
  let writable = await orNothing(create);
  let isWhole = false;
  try {
    for await (const piece of bytes) {
      // A piece is overwritten once the next one is asked for.
      const written = await orNothing(async () => {
        await writable?.write(piece);
        return true;
      });
      if (!written) writable = undefined;
      yield piece;
    }
    isWhole = true;
  } finally {
    await orNothing(async () => (isWhole ? writable?.close() : writable?.abort()));
  }
}
