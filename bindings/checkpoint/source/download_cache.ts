/**
 * Downloads kept in the browser's Cache Storage, each file in pieces, so that an interrupted download can be resumed.
 * (The origin private file system would do too, but outside of workers its files only appear once they are closed.)
 * Each piece carries the file's version (ETag or date), its position and its length; pieces that do not fit together
 * are not used. `caches.delete('transformer-wasm')` in a page removes everything.
 */

const storeName = 'transformer-wasm';

/** A piece, as its own headers describe it. */
export interface KeptPiece {
  readonly begin: number;
  readonly bytes: number;
  readonly version: string;
  /** The file ends with it. */
  readonly isLast: boolean;
}

/** The part of a file that is cached, from its beginning on. */
export interface KeptFile {
  readonly version: string;
  readonly pieces: readonly KeptPiece[];
  /** Bytes in all pieces. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

export class DownloadCache {
  readonly #store: Cache;
  readonly #note: (sentence: string) => void;
  #isFull = false;

  private constructor(store: Cache, note: (sentence: string) => void) {
    this.#store = store;
    this.#note = note;
  }

  /** `undefined` if nothing can be cached. `note` receives the reasons, now and later. */
  static async open(note: (sentence: string) => void): Promise<DownloadCache | undefined> {
    if (!globalThis.caches) {
      note(
        'Downloads are not kept: there is no Cache Storage here, as in Node.js or in a page without https.',
      );
      return undefined;
    }
    try {
      return new DownloadCache(await caches.open(storeName), note);
    } catch (error) {
      note(`Downloads are not kept: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Tells the user why a file is not cached. */
  note(sentence: string): void {
    this.#note(sentence);
  }

  async find(url: string): Promise<KeptFile | null> {
    const pieces: KeptPiece[] = [];
    let bytes = 0;
    for (;;) {
      const response = await this.#store.match(keyOf(url, pieces.length)).catch(() => undefined);
      const piece = response && describe(response);
      const fits = piece && piece.begin === bytes && piece.version === (pieces[0] ?? piece).version;
      if (!fits) break;
      pieces.push(piece);
      bytes += piece.bytes;
      if (piece.isLast) break;
    }
    const [first] = pieces;
    return first ? { version: first.version, pieces, bytes, isWhole: pieces.at(-1)?.isLast ?? false } : null;
  }

  /** A piece's bytes; `null` if there are not as many as there should be. */
  async read(url: string, index: number, { bytes }: KeptPiece): Promise<Uint8Array | null> {
    try {
      const content = await (await this.#store.match(keyOf(url, index)))?.arrayBuffer();
      return content?.byteLength === bytes ? new Uint8Array(content) : null;
    } catch {
      return null;
    }
  }

  /** Caches a piece. Once there is no room left, nothing more is cached. */
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
      await this.#store.put(keyOf(url, index), new Response(content as BodyInit, { headers }));
    } catch (error) {
      this.#isFull = true;
      this.#note(`Not everything that was downloaded could be kept: ${(error as Error).message}`);
    }
  }

  /** Remembers that there is no such file, for when the server cannot be reached. */
  async addMissing(url: string, why: string): Promise<void> {
    await this.#store.put(keyOf(url, 'missing'), new Response(why)).catch(() => undefined);
  }

  /** Why there was no such file last time; `null` if that is not known. */
  async findMissing(url: string): Promise<string | null> {
    const response = await this.#store.match(keyOf(url, 'missing')).catch(() => undefined);
    return response ? response.text() : null;
  }

  /** Removes the pieces of a file from one on. */
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

function describe({ headers }: Response): KeptPiece | null {
  const [begin, bytes] = [Number(headers.get('x-begin')), Number(headers.get('x-bytes'))];
  const version = headers.get('x-version');
  if (version === null || !Number.isSafeInteger(begin) || !(bytes > 0)) return null;
  return { begin, bytes, version: decodeURIComponent(version), isLast: headers.get('x-last') === 'true' };
}
