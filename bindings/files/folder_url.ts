/** A folder on a server: one plain GET per file, read as it arrives. */

import { fail } from '../values/errors.js';
import { ask, expectSent } from './answer.js';
import type { DownloadCache } from './download_cache.js';
import type { Place } from './fetch_file.js';
import type { Folder } from './folder.js';
import { fileOfAnswer } from './url_file.js';

/** How to download files. */
export interface Downloads extends Pick<Place, 'headers' | 'retries' | 'explain' | 'snapshot'> {
  /** Where to keep them. */
  readonly cache?: DownloadCache | undefined;
}

/** @param address of the folder; may be relative in a page. A query string (`?...`) is sent with every file. */
export function folderOfUrl(address: string, { cache, ...asked }: Downloads = {}): Folder {
  const base = parse(address);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const placeOf = (name: string, signal?: AbortSignal): Place => {
    const url = new URL(name.split('/').map(encodeURIComponent).join('/'), base);
    url.search = base.search;
    return { ...asked, url: url.href, signal };
  };
  return folderOfPlaces(base.href, placeOf, cache);
}

/** @param placeOf where a file is on the server */
export function folderOfPlaces(
  name: string,
  placeOf: (name: string, signal?: AbortSignal) => Place,
  cache: DownloadCache | undefined,
): Folder {
  return {
    name,
    keyOf(file) {
      const { key, url } = placeOf(file);
      return key ?? url;
    },
    hasLost: () => cache?.hasLost ?? false,
    async derived() {
      if (!cache) return undefined;
      const { DerivedCache } = await import('./derived_cache.js');
      return new DerivedCache(cache, placeOf);
    },
    async open(name, signal) {
      const place = placeOf(name, signal);
      if (cache) return (await import('./cached_file.js')).openCached(place, cache);
      const answer = await ask(place);
      return answer.kind === 'absent' ? { missing: answer.why } : fileOfAnswer(expectSent(answer), place);
    },
  };
}

/** What addresses are relative to: the page or worker, if there is one. */
export const here = (): string | undefined => globalThis.document?.baseURI ?? globalThis.location?.href;

function parse(address: string): URL {
  try {
    const url = new URL(address, here());
    new URL('file', url); // not in data:, which is one file
    return url;
  } catch {
    return fail('invalid_argument', `'${address}' is not the address of a folder`);
  }
}
