/** What is kept of all downloads, by the addresses of the files. */

import { describe, pieceName } from './download_cache.js';
import type { PieceStore } from './piece_store.js';

/** What is kept at an address: of a file, of a server's answer about it, or of what was made of it. */
interface KeptAddress {
  readonly url: string;
  readonly bytes: number;
  /** Milliseconds since 1970; `null` for what an earlier version kept. */
  readonly since: number | null;
}

/** The earlier of two times, of which either may be unknown. */
export function earliest(...times: (number | null | undefined)[]): number | null {
  const known = times.filter((time) => typeof time === 'number');
  return known.length > 0 ? Math.min(...known) : null;
}

export async function keptAddresses(store: PieceStore): Promise<KeptAddress[]> {
  const found = new Map<string, KeptAddress>();
  for await (const { key, header } of store.list()) {
    const piece = await describe({ header });
    const address = new URL(key);
    if (!piece || !address.searchParams.has(pieceName)) continue;
    address.searchParams.delete(pieceName);
    const url = address.href;
    const before = found.get(url);
    const since = earliest(before?.since, piece.since);
    found.set(url, { url, bytes: (before?.bytes ?? 0) + piece.bytes, since });
  }
  return [...found.values()];
}

/** Deletes all that is kept at addresses that begin so. @returns the bytes that it took */
export async function forgetAddresses(store: PieceStore, prefix: string): Promise<number> {
  let bytes = 0;
  const keys: string[] = [];
  for await (const { key, header } of store.list()) {
    if (!key.startsWith(prefix)) continue;
    keys.push(key);
    bytes += (await describe({ header }))?.bytes ?? 0;
  }
  for (const key of keys) await store.delete(key);
  return bytes;
}
