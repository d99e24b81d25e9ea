/** Determines what kind of source a checkpoint is. */

import { fail, messageOf } from '../values/errors.js';
import type { CheckpointSource, Folder } from './folder.js';
import { folderOfFile, folderOfFiles, folderOfHandle, folderOfMap } from './folder_files.js';
import { folderOfPath, isFolder, isNode } from './folder_node.js';
import { type Downloads, folderOfPlaces, folderOfUrl, here } from './folder_url.js';
import type { HubOptions } from './hub.js';
import { withoutPointers } from './pointer_file.js';

export interface SourceOptions {
  /** Whether to keep downloads; default: those from a hub. */
  readonly cache?: boolean | undefined;
  /** Whether to ask a browser not to delete them. */
  readonly persist?: boolean | undefined;
  /** Loads the model with this id from a hub, even where a folder has the same name. */
  readonly hub?: HubOptions | undefined;
  readonly retries?: number | undefined;
  /** Ends waiting for the cache. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the reason why something was not kept. */
  readonly note?: ((sentence: string) => void) | undefined;
}

/**
 * The folder behind a source.
 *
 * @throws TransformerError `invalid_argument` if it cannot hold files.
 */
export async function openFolder(source: CheckpointSource, options: SourceOptions = {}): Promise<Folder> {
  const address = source instanceof URL ? addressOf(source) : source;
  if (address instanceof Map) return withoutPointers(await inMap(address, options));
  if (typeof address !== 'string')
    return withoutPointers(atHand(address as Exclude<typeof address, FileMap>, options));
  const [, path = '', file] = /^(.*?)[/\\]?([^/\\?#]+\.gguf)(?=$|[?#])/i.exec(address) ?? [];
  if (file === undefined) return withoutPointers(await atAddress(address, options));
  // A query is sent with every file.
  const folder = `${path || (/^[/\\]/.test(address) ? '/' : '.')}${address.slice(address.indexOf(file) + file.length)}`;
  return { ...withoutPointers(await atAddress(folder, options)), file: decoded(file, address) };
}

/** The name of a file at an address: in a URL it is encoded. */
function decoded(file: string, address: string): string {
  try {
    return isPath(address) ? file : decodeURIComponent(file);
  } catch {
    return file;
  }
}

type FileMap = ReadonlyMap<string, Blob | Uint8Array | URL>;

/** Files at hand or elsewhere; those of a server are kept on request. */
async function inMap(files: FileMap, options: SourceOptions): Promise<Folder> {
  const { cache, note } = options;
  const isRemote = [...files.values()].some((file) => file instanceof URL && !isPath(addressOf(file)));
  if (cache && !isRemote) note?.(nothingToKeep);
  const downloads = await downloadsOf(options, isRemote && cache);
  return folderOfMap(files, async (given, signal) => {
    const address = addressOf(given);
    const url = new URL(address);
    if (/\.m?js$/.test(url.pathname))
      fail(
        'missing_file',
        `the bundler made a script of a file of the model, ${address}: serve a copy of the folder and pass its address to loadModel`,
      );
    if (isPath(address)) return folderOfPath(new URL('.', url)).open(nameOf(url), signal);
    const file = await folderOfPlaces(
      address,
      () => ({ ...downloads, url: address, signal }),
      downloads.cache,
    ).open(nameOf(url), signal);
    return 'missing' in file ? { missing: `${file.missing}. ${leftBehind}` } : file;
  });
}

/**
 * The whole address. The address of a file beside a module is, in Next.js and other bundles of webpack, a URL by its
 * prototype, but has only a path: on the server that the page came from.
 *
 * @throws TransformerError `missing_file` where no page is
 */
function addressOf(url: URL): string {
  if (url.protocol !== '') return url.href;
  const page = here();
  if (page === undefined)
    fail(
      'missing_file',
      `${url.href} is where a bundler serves a file to pages. On the server, give loadModel the path of the folder`,
    );
  return new URL(url.href, page).href;
}

const nameOf = ({ pathname }: URL) => decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1));

const leftBehind =
  'If a bundler left the file behind, serve a copy of the folder and pass its address to loadModel';

function atHand(
  source: Exclude<CheckpointSource, string | URL | FileMap>,
  { cache, note }: SourceOptions,
): Folder {
  if (cache) note?.(nothingToKeep);
  if (source instanceof Blob) return folderOfFile(source);
  if (typeof source === 'object' && source !== null) {
    if ('getFileHandle' in source) return folderOfHandle(source);
    if (Symbol.iterator in source) return folderOfFiles(source as Iterable<File>);
  }
  return fail(
    'invalid_argument',
    'the model must be the URL or path of a folder, the id of a model on a hub, a folder handle, an array of File, a GGUF file, or a Map from file names to Blob, Uint8Array or URL',
  );
}

const nothingToKeep = 'There is nothing to cache: the files are not downloaded.';

async function atAddress(address: string, options: SourceOptions): Promise<Folder> {
  const { cache, hub, note = () => {} } = options;
  const keep = (isKept: boolean | undefined) => downloadsOf(options, isKept);
  if (address.trim() === '')
    fail(
      'invalid_argument',
      'the address of the model is an empty string; expected the URL or path of a folder, or the id of a model',
    );
  const onHub = async () => {
    const { folderOfHub } = await import('./hub.js');
    return folderOfHub(address, hub ?? {}, await keep(cache ?? true));
  };
  if (hub) return onHub();
  if (isPath(address)) {
    if (mayBeId(address) && !(await isFolder(address)))
      return either({ near: null, onHub, name: address, note });
    if (cache) note(nothingToKeep);
    return folderOfPath(address.startsWith('file:') ? new URL(address) : address);
  }
  const folder = folderOfUrl(address, await keep(cache));
  return mayBeId(address) ? either({ near: folder, onHub, name: address, note }) : folder;
}

async function downloadsOf(
  { retries, signal, persist, note = () => {} }: SourceOptions,
  isKept: boolean | undefined,
): Promise<Downloads> {
  if (!isKept) return { retries };
  const { DownloadCache } = await import('./download_cache.js');
  return { retries, cache: await DownloadCache.open({ note, signal, persist }) };
}

/** URL schemes have at least two characters, so a drive letter is not one. */
const isPath = (address: string) =>
  isNode() && (address.startsWith('file:') || !/^[a-z][a-z\d+.-]+:/i.test(address));

/** Whether an address without a scheme has the form of a model's id on a hub: `owner/name`. */
export const mayBeId = (address: string) => /^\w[\w.-]*\/[\w.-]*\w$/.test(address);

interface Either {
  /** `null` if there is no folder of this name. */
  readonly near: Folder | null;
  readonly onHub: () => Promise<Folder>;
  readonly name: string;
  readonly note: (sentence: string) => void;
}

/** A folder of this name next to the page or script if there is one, else the model of this id on the hub. */
function either({ near, onHub, name, note }: Either): Folder {
  let found: Folder | null = null;
  return {
    name,
    derived: async () => found?.derived?.(),
    keyOf: (file) => (found ?? near)?.keyOf?.(file),
    commit: () => found?.commit?.() ?? null,
    hashes: () => found?.hashes?.() ?? {},
    async open(file, signal) {
      if (found) return found.open(file, signal);
      const where = near ? '' : ` in ${globalThis.process.cwd()}`;
      const opened = (await near?.open(file, signal)) ?? { missing: `there is no folder ${name}${where}` };
      if (!('missing' in opened)) {
        found = near;
        return opened;
      }
      const hub = await onHub();
      try {
        const there = await hub.open(file, signal);
        if ('missing' in there) return { missing: `${opened.missing}; on the hub: ${there.missing}` };
        found = hub;
        // A path that was mistyped may be the id of anybody's model.
        note(`There is no folder ${name}${where || ' next to the page'}: this is the model ${hub.name}.`);
        return there;
      } catch (error) {
        signal?.throwIfAborted();
        return fail('missing_file', `${opened.missing}; on the hub: ${messageOf(error)}`, error);
      }
    },
  };
}
