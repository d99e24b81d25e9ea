/** Keeps what was made of downloads, in the cache that also keeps the downloads. */

import { fail } from '../values/errors.js';
import { ask } from './answer.js';
import { seekablePieces } from './cached_file.js';
import type { DownloadCache } from './download_cache.js';
import type { Place } from './fetch_file.js';
import type { DerivedFile, DerivedFiles, RandomWrite } from './folder.js';
import { discard } from './waits.js';

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
    const place = { ...this.#place(name, signal), retries: 0 };
    const answer = await ask(place, { range: { begin: 0, end: 1 }, isUncached: true });
    const key = place.key ?? place.url;
    const commit = place.snapshot?.commit ?? null;
    if (answer.kind === 'sent') {
      discard(answer.response);
      if (answer.version) await this.#cache.see(key, { commit, version: answer.version });
      return answer.version;
    }
    if (answer.kind === 'absent') return null;
    // Nothing was said about the file: it is as it was last seen, unless that was in another commit.
    const seen = await this.#cache.findSeen(key);
    if (place.snapshot && !(seen && place.snapshot.admits(seen.commit))) fail('missing_file', answer.why);
    return seen ? seen.version : undefined;
  }

  async find(name: string): Promise<DerivedFile | null> {
    const url = this.#key(name);
    const kept = await this.#cache.find(url);
    if (!kept?.isWhole) return null;
    const file = seekablePieces(kept, { key: url, cache: this.#cache });
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
    const { key, url } = this.#place(name);
    return this.#cache.drop(key ?? url);
  }

  /** Not an address that anything is requested from. */
  #key(name: string): string {
    const { key, url: place } = this.#place(name);
    const url = new URL(key ?? place);
    url.searchParams.append('transformer-wasm-derived', '');
    return url.href;
  }
}
