/** Keeps what was made of downloads, in the cache that also keeps the downloads. */

import { fail, TransformerError } from '../values/errors.js';
import { seekablePieces } from './cached_file.js';
import type { DownloadCache } from './download_cache.js';
import { fetchFile, type Place, versionOf } from './fetch_file.js';
import type { DerivedFile, DerivedFiles, RandomWrite } from './folder.js';

/** Bytes per piece, as of downloads. */
const pieceBytes = 4 << 20;

export class DerivedCache implements DerivedFiles {
  readonly #cache: DownloadCache;
  readonly #place: (name: string, signal?: AbortSignal) => Place;

  /** @param place of a file on the server */
  constructor(cache: DownloadCache, place: (name: string, signal?: AbortSignal) => Place) {
    this.#cache = cache;
    this.#place = place;
  }

  async version(name: string, signal?: AbortSignal): Promise<string | null | undefined> {
    const range = { begin: 0, end: 1 };
    try {
      const place = { ...this.#place(name, signal), retries: 0 };
      const response = await fetchFile(place, { range, isUncached: true });
      await response.body?.cancel();
      if (response.ok) return versionOf(response);
      // Any other refusal says nothing about the file.
      return response.status === 404 || response.status === 410 ? null : undefined;
    } catch (error) {
      if (error instanceof TransformerError && !signal?.aborted) return undefined;
      throw error;
    }
  }

  async find(name: string): Promise<DerivedFile | null> {
    const url = this.#key(name);
    const kept = await this.#cache.find(url);
    if (!kept?.isWhole) return null;
    const file = seekablePieces(kept, { url, cache: this.#cache });
    return { ...file, version: kept.version };
  }

  writer(name: string, { version, size }: { version: string; size: number }): RandomWrite {
    const url = this.#key(name);
    /** Pieces of which only a part has been written. */
    const open = new Map<number, { content: Uint8Array; filled: number }>();
    return async (bytes, place) => {
      for (let done = 0; done < bytes.length; ) {
        const index = Math.floor((place + done) / pieceBytes);
        const begin = index * pieceBytes;
        const length = Math.min(pieceBytes, size - begin);
        const piece = open.get(index) ?? { content: new Uint8Array(length), filled: 0 };
        const part = bytes.subarray(done, done + begin + length - (place + done));
        if (part.length === 0) fail('internal', `${name} is written beyond its end`);
        piece.content.set(part, place + done - begin);
        piece.filled += part.length;
        done += part.length;
        open.set(index, piece);
        if (piece.filled < length) continue;
        open.delete(index);
        const isLast = begin + length === size;
        await this.#cache.add(url, index, { content: piece.content, begin, version, isLast });
      }
    };
  }

  drop(name: string): Promise<void> {
    return this.#cache.drop(this.#key(name));
  }

  dropDownload(name: string): Promise<void> {
    return this.#cache.drop(this.#place(name).url);
  }

  /** Not an address that anything is requested from. */
  #key(name: string): string {
    const url = new URL(this.#place(name).url);
    url.searchParams.append('transformer-wasm-derived', '');
    return url.href;
  }
}
