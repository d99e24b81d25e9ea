/** Where pieces of downloads are kept: Cache Storage in a browser, files in Node.js. */

/** A piece that was kept. */
export interface StoredPiece {
  header(name: string): string | null;
  bytes(): Promise<Uint8Array>;
}

/** A piece in a list: its key, and its headers. */
export interface ListedPiece {
  readonly key: string;
  header(name: string): string | null;
}

export interface PieceStore {
  /** All pieces; without those that an earlier version kept under names that do not tell their keys. */
  list(): AsyncIterable<ListedPiece>;
  find(key: string): Promise<StoredPiece | undefined>;
  put(key: string, headers: Readonly<Record<string, string>>, content: Uint8Array): Promise<void>;
  /** Whether there was such a piece. */
  delete(key: string): Promise<boolean>;
}

/** What is needed of a browser's `Cache`: compilers for Node.js do not know that type. */
interface CacheLike {
  keys(): Promise<readonly { readonly url: string }[]>;
  match(key: string): Promise<Response | undefined>;
  put(key: string, response: Response): Promise<void>;
  delete(key: string): Promise<boolean>;
}

export function storeOfCache(cache: CacheLike): PieceStore {
  return {
    async *list() {
      for (const { url } of await cache.keys()) {
        const response = await cache.match(url);
        if (response) yield { key: url, header: (name) => response.headers.get(name) };
      }
    },
    async find(key) {
      const response = await cache.match(key);
      return (
        response && {
          header: (name) => response.headers.get(name),
          bytes: async () => new Uint8Array(await response.arrayBuffer()),
        }
      );
    },
    put: (key, headers, content) => cache.put(key, new Response(content as BodyInit, { headers })),
    delete: (key) => cache.delete(key),
  };
}
