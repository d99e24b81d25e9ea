/**
 * Downloads that are kept in pieces, so that an interrupted download can resume: in a browser in its Cache Storage, in
 * Node.js on disk. (The origin-private file system would work too, but outside of workers its files appear only once they
 * are closed.) Each piece carries the file's version (ETag or date), its offset and its length; pieces that do not match
 * are not used. `caches.delete('transformer-wasm')` in a page clears everything.
 */

import { messageOf } from '../values/errors.js';
import { isNode } from './folder_node.js';
import { type PieceStore, type StoredPiece, storeOfCache } from './piece_store.js';

const storeName = 'transformer-wasm';

/** A piece, as its own headers describe it. */
export interface KeptPiece {
  readonly begin: number;
  readonly bytes: number;
  readonly version: string;
  /** Whether it is the file's last piece. */
  readonly isLast: boolean;
}

/** The kept pieces of a file, from its beginning. */
export interface KeptFile {
  readonly version: string;
  readonly pieces: readonly KeptPiece[];
  /** Total bytes of the pieces. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

export class DownloadCache {
  readonly #store: PieceStore;
  readonly #note: (sentence: string) => void;
  #isFull = false;

  private constructor(store: PieceStore, note: (sentence: string) => void) {
    this.#store = store;
    this.#note = note;
  }

  /** `undefined` if nothing can be kept. `note` is called with the reason, now or later. */
  static async open(note: (sentence: string) => void): Promise<DownloadCache | undefined> {
    try {
      if (globalThis.caches) return new DownloadCache(storeOfCache(await caches.open(storeName)), note);
      if (isNode()) {
        const { openDiskStore } = await import('./disk_store.js');
        return new DownloadCache(await openDiskStore(), note);
      }
      note('Downloads are not cached: Cache Storage is unavailable (in a page without https).');
    } catch (error) {
      note(`Downloads are not cached: ${messageOf(error)}`);
    }
    return undefined;
  }

  /** Tells the user why a file is not kept. */
  note(sentence: string): void {
    this.#note(sentence);
  }

  async find(url: string): Promise<KeptFile | null> {
    const pieces: KeptPiece[] = [];
    let bytes = 0;
    for (;;) {
      const stored = await this.#store.find(keyOf(url, pieces.length)).catch(() => undefined);
      const piece = stored && describe(stored);
      const fits = piece && piece.begin === bytes && piece.version === (pieces[0] ?? piece).version;
      if (!fits) break;
      pieces.push(piece);
      bytes += piece.bytes;
      if (piece.isLast) break;
    }
    const [first] = pieces;
    return first ? { version: first.version, pieces, bytes, isWhole: pieces.at(-1)?.isLast ?? false } : null;
  }

  /** A piece's bytes; `null` if their number is wrong. */
  async read(url: string, index: number, { bytes }: KeptPiece): Promise<Uint8Array | null> {
    try {
      const content = await (await this.#store.find(keyOf(url, index)))?.bytes();
      return content?.length === bytes ? content : null;
    } catch {
      return null;
    }
  }

  /** Keeps a piece. When storage is full, nothing more is kept. */
  async add(
    url: string,
    index: number,
    piece: Omit<KeptPiece, 'bytes'> & { content: Uint8Array },
  ): Promise<void> {
    if (this.#isFull) return;
    const { content, begin, version, isLast } = piece;
    const headers = {
      'x-begin': `${begin}`,
      'x-bytes': `${content.length}`,
      'x-version': encodeURIComponent(version),
      'x-last': `${isLast}`,
    };
    try {
      await this.#store.put(keyOf(url, index), headers, content);
    } catch (error) {
      this.#isFull = true;
      this.#note(`Some downloads could not be cached: ${messageOf(error)}`);
    }
  }

  /** Records that the file does not exist, for offline use. */
  async addMissing(url: string, why: string): Promise<void> {
    const content = new TextEncoder().encode(why);
    await this.#store.put(keyOf(url, 'missing'), {}, content).catch(() => undefined);
  }

  /** Why the file did not exist the last time; `null` if unknown. */
  async findMissing(url: string): Promise<string | null> {
    const stored = await this.#store.find(keyOf(url, 'missing')).catch(() => undefined);
    return stored ? new TextDecoder().decode(await stored.bytes()) : null;
  }

  /** Deletes the pieces of a file, beginning with `from`. */
  async drop(url: string, from = 0): Promise<void> {
    let index = from;
    while (await this.#store.delete(keyOf(url, index)).catch(() => false)) index++;
  }
}

function keyOf(url: string, index: number | 'missing'): string {
  const key = new URL(url);
  key.searchParams.append('transformer-wasm-piece', `${index}`);
  return key.href;
}

function describe(stored: StoredPiece): KeptPiece | null {
  const [begin, bytes] = [Number(stored.header('x-begin')), Number(stored.header('x-bytes'))];
  const version = stored.header('x-version');
  if (version === null || !Number.isSafeInteger(begin) || !(bytes > 0)) return null;
  return { begin, bytes, version: decodeURIComponent(version), isLast: stored.header('x-last') === 'true' };
}
