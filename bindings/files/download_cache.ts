/**
 * Downloads that are kept in pieces, so that an interrupted download can resume: in a browser in its Cache Storage, in
 * Node.js on disk. (The origin-private file system would work too, but outside of workers its files appear only once
 * they are closed.) Each piece carries the file's version (ETag or date), its offset, its length and checksums of its
 * content and of all this; a piece that does not match counts as absent. `caches.delete('transformer-wasm')` in a page
 * clears everything.
 */

import { messageOf } from '../values/errors.js';
import { isNode } from './folder_node.js';
import { type PieceStore, type StoredPiece, storeOfCache } from './piece_store.js';
import { sha256 } from './sha256.js';
import { inTime, Silence } from './waits.js';

const storeName = 'transformer-wasm';

/** Milliseconds after which a store that does not answer counts as absent. */
const patience = 10_000;

/** Milliseconds that an abort waits until what has been received is kept. */
const grace = 3_000;

/** A piece, as its own header describes it. */
interface KeptPiece {
  readonly begin: number;
  readonly bytes: number;
  readonly version: string;
  /** Whether it is the file's last piece. */
  readonly isLast: boolean;
  /** Of the content. */
  readonly sha256: string;
  /** When it was kept, in milliseconds since 1970; pieces of earlier versions do not say. */
  readonly since?: number;
}

/** The kept pieces of a file, from its beginning. */
export interface KeptFile {
  readonly version: string;
  readonly pieces: readonly KeptPiece[];
  /** Total bytes of the pieces. */
  readonly bytes: number;
  readonly isWhole: boolean;
  /** Bytes of the file; `null` while only a part of it is kept. */
  readonly total: number | null;
}

/** A server's last answer about a file. */
export interface Seen {
  /** The commit that it was of; `null` if the server does not say. */
  readonly commit: string | null;
  /** `null` if there was no such file. */
  readonly version: string | null;
  /** Why there was none. */
  readonly why?: string;
}

interface Notes {
  readonly note: (sentence: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Whether to ask a browser not to delete what is kept. */
  readonly persist?: boolean | undefined;
}

export class DownloadCache {
  readonly #store: PieceStore;
  readonly #notes: Notes;
  /** Whether pieces were damaged or gone when they were read, after they had been found. */
  hasLost = false;
  #isFull = false;
  #isSilent = false;

  private constructor(store: PieceStore, notes: Notes) {
    this.#store = store;
    this.#notes = notes;
  }

  /** `undefined` if nothing can be kept. `note` is called with the reason, now or later. */
  static async open(notes: Notes): Promise<DownloadCache | undefined> {
    const { note, signal, persist } = notes;
    const limit = { milliseconds: patience, who: 'the storage', signal };
    try {
      if (!globalThis.crypto?.subtle) {
        note('Downloads are not cached: without crypto.subtle (https), what is kept cannot be checked.');
      } else if (globalThis.caches) {
        const cache = await inTime(caches.open(storeName), limit);
        // People may be asked, and take their time.
        if (persist) void tellUnlessPersistent(note);
        return new DownloadCache(storeOfCache(cache), notes);
      } else if (isNode()) {
        const { openDiskStore } = await import('./disk_store.js');
        return new DownloadCache(await inTime(openDiskStore(), limit), notes);
      } else {
        note('Downloads are not cached: Cache Storage is unavailable (in a page without https).');
      }
    } catch (error) {
      signal?.throwIfAborted();
      note(`Downloads are not cached: ${messageOf(error)}`);
    }
    return undefined;
  }

  /** Everything that is kept, of all files. */
  get pieces(): PieceStore {
    return this.#store;
  }

  /** Tells the user something about what is kept. */
  note(sentence: string): void {
    this.#notes.note(sentence);
  }

  async find(url: string): Promise<KeptFile | null> {
    const pieces: KeptPiece[] = [];
    let bytes = 0;
    for (;;) {
      const piece = (await this.#find(url, pieces.length))?.piece;
      const fits = piece && piece.begin === bytes && piece.version === (pieces[0] ?? piece).version;
      if (!fits) break;
      pieces.push(piece);
      bytes += piece.bytes;
      if (piece.isLast) break;
    }
    const [first] = pieces;
    if (!first) return null;
    const isWhole = pieces.at(-1)?.isLast ?? false;
    return { version: first.version, pieces, bytes, isWhole, total: isWhole ? bytes : null };
  }

  /** A piece's bytes; `null` if another one is there now, or other bytes. */
  async read(url: string, index: number | 'seen', wanted: KeptPiece): Promise<Uint8Array | null> {
    const found = await this.#find(url, index);
    const isSame = found?.piece.version === wanted.version && found.piece.sha256 === wanted.sha256;
    const content = isSame && (await this.#inTime(() => found.stored.bytes()));
    return content && (await sha256(content)) === wanted.sha256 ? content : null;
  }

  /** Keeps a piece, even after an abort. When storage is full, nothing more is kept. */
  async add(
    url: string,
    index: number | 'seen',
    { content, ...piece }: Pick<KeptPiece, 'begin' | 'version' | 'isLast'> & { content: Uint8Array },
  ): Promise<void> {
    if (this.#isFull) return;
    const described: KeptPiece = {
      ...piece,
      bytes: content.length,
      sha256: await sha256(content),
      since: Date.now(),
    };
    const text = encodeURIComponent(JSON.stringify(described));
    const headers = { 'x-piece': text, 'x-check': await checkOf(text) };
    const onError = async (error: unknown) => {
      this.#isFull = true;
      const { roomIn } = await import('./storage_room.js');
      this.note(`Some downloads could not be cached: ${messageOf(error)}${await roomIn()}`);
    };
    await this.#inTime(() => this.#store.put(keyOf(url, index), headers, content), { onError, grace });
  }

  /** The server's last answer about a file; `null` if unknown. */
  async findSeen(url: string): Promise<Seen | null> {
    const piece = (await this.#find(url, 'seen'))?.piece;
    const content = piece && (await this.read(url, 'seen', piece));
    return content ? JSON.parse(new TextDecoder().decode(content)) : null;
  }

  async see(url: string, seen: Seen): Promise<void> {
    const content = new TextEncoder().encode(JSON.stringify(seen));
    const before = (await this.#find(url, 'seen'))?.piece;
    if (before?.sha256 !== (await sha256(content)))
      await this.add(url, 'seen', { content, begin: 0, version: '', isLast: true });
  }

  /** Deletes the pieces of a file, beginning with `from`. */
  async drop(url: string, from = 0): Promise<void> {
    let index = from;
    while (await this.#inTime(() => this.#store.delete(keyOf(url, index)))) index++;
  }

  async #find(url: string, index: number | 'seen') {
    const stored = await this.#inTime(() => this.#store.find(keyOf(url, index)));
    const piece = stored && (await describe(stored));
    return piece ? { stored, piece } : undefined;
  }

  /** A store that fails has nothing; one that does not answer is not asked again. */
  async #inTime<T>(
    work: () => Promise<T>,
    { onError, grace }: { onError?: (error: unknown) => Promise<void>; grace?: number } = {},
  ): Promise<T | undefined> {
    const { signal } = this.#notes;
    if (this.#isSilent) return undefined;
    try {
      return await inTime(work(), { milliseconds: patience, who: 'the storage', signal, grace });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Silence) {
        this.#isSilent = this.#isFull = true;
        this.note(`Downloads are not cached: ${error.message}`);
      } else await onError?.(error);
      return undefined;
    }
  }
}

async function tellUnlessPersistent(note: Notes['note']): Promise<void> {
  const { askToPersist } = await import('./storage_room.js');
  const why = await askToPersist();
  if (why !== null) note(`The browser may delete cached downloads when space runs short: ${why}.`);
}

/** Of a piece's key, whose rest is the address of its file. */
export const pieceName = 'transformer-wasm-piece';

function keyOf(url: string, index: number | 'seen'): string {
  const key = new URL(url);
  key.searchParams.append(pieceName, `${index}`);
  return key.href;
}

const checkOf = (text: string) => sha256(new TextEncoder().encode(text));

/** `null` for a header that is not as it was written. */
export async function describe(stored: Pick<StoredPiece, 'header'>): Promise<KeptPiece | null> {
  const text = stored.header('x-piece');
  if (text === null || stored.header('x-check') !== (await checkOf(text))) return null;
  return JSON.parse(decodeURIComponent(text));
}
