/** Files whose SHA-256 the caller knows: they are read as usual, and end in an error if they are not what was meant. */

import { fail } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import type { Folder, OpenFile, SeekableFile } from './folder.js';
import { seekableBlob } from './folder_files.js';
import { Sha256 } from './sha256_stream.js';
import { sharedStorage, withSharedStorage } from './shared_storage.js';

/** SHA-256 by file name, as in a page's `integrity`: `{ 'model.safetensors': 'sha256-...' }`, in base64. */
export type Integrity = Readonly<Record<string, string>>;

/** By file name, in hexadecimal digits. */
type Hashes = ReadonlyMap<string, string>;

export interface CheckedFolder extends Folder {
  /**
   * Reads what is named and has not been read.
   *
   * @throws TransformerError `bad_checkpoint` for another content; `missing_file`.
   */
  checkRest(signal?: AbortSignal): Promise<void>;
}

/** @throws TransformerError `invalid_argument` for anything but hashes by file names. */
export function toHashes(integrity: unknown): Hashes {
  if (typeof integrity !== 'object' || integrity === null || Array.isArray(integrity))
    fail(
      'invalid_argument',
      `integrity must be an object from file names to hashes, got ${describe(integrity)}`,
    );
  return new Map(Object.entries(integrity).map(([name, hash]) => [name, digitsOf(name, hash)]));
}

function digitsOf(name: string, hash: unknown): string {
  const [, text] = (typeof hash === 'string' && /^sha256-([A-Za-z\d+/]{43}=)$/.exec(hash)) || [];
  if (text === undefined)
    fail(
      'invalid_argument',
      `integrity: the hash of '${name}' must be 'sha256-' and 44 characters of base64, got ${describe(hash)}`,
    );
  return Array.from(atob(text), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** The folder with its files checked. Downloads to be kept also go to, or come from, a storage that sites share. */
export async function openChecked(
  folder: Folder,
  integrity: Integrity,
  hasToken: boolean,
): Promise<CheckedFolder> {
  const hashes = toHashes(integrity);
  const storage = sharedStorage();
  const isKept = storage && (await folder.derived?.()) !== undefined;
  return withIntegrity(isKept ? withSharedStorage(folder, hashes, { storage, hasToken }) : folder, hashes);
}

/** The folder, of which no file that is named can be read to its end with another content. */
export function withIntegrity(folder: Folder, hashes: Hashes): CheckedFolder {
  const checked = new Map<string, string>();
  const open: Folder['open'] = async (name, signal) => {
    const file = await folder.open(name, signal);
    const wanted = hashes.get(name);
    if (wanted === undefined) return file;
    if ('missing' in file) return fail('missing_file', `integrity names ${name}, but ${file.missing}`);
    const onChecked = () => checked.set(name, wanted);
    return checkedFile(file, { name, wanted, signal, onChecked, onRefused: () => file.forget?.() });
  };
  return {
    ...folder,
    open,
    hashes: () => ({ ...folder.hashes?.(), ...Object.fromEntries(checked) }),
    async checkRest(signal) {
      for (const name of hashes.keys()) {
        if (checked.has(name)) continue;
        const file = await open(name, signal);
        if (!('missing' in file)) for await (const _ of file.bytes()) signal?.throwIfAborted();
      }
    },
  };
}

interface Wanted {
  readonly name: string;
  readonly wanted: string;
  readonly signal: AbortSignal | undefined;
  onChecked(): void;
  /** A server may give another content the same version: what is kept would be refused for ever. */
  onRefused(): Promise<void> | undefined;
}

function checkedFile(file: OpenFile, wanted: Wanted): OpenFile {
  return {
    ...file,
    bytes: (isWhole) => checkedBytes(file.bytes(isWhole), wanted),
    // What is read twice may differ: what is checked is what is kept.
    async seekable(onDownload): Promise<SeekableFile> {
      const parts: Blob[] = [];
      let loaded = 0;
      for await (const piece of checkedBytes(file.bytes(), wanted)) {
        parts.push(new Blob([piece as BlobPart]));
        loaded += piece.length;
        onDownload?.(loaded);
      }
      return seekableBlob(new Blob(parts));
    },
  };
}

async function* checkedBytes(
  bytes: AsyncIterable<Uint8Array>,
  { name, wanted, signal, onChecked, onRefused }: Wanted,
): AsyncGenerator<Uint8Array, void, void> {
  const hash = new Sha256();
  const source = bytes[Symbol.asyncIterator]();
  let isFailed = false;
  const next = async () => {
    const { done, value } = await source.next();
    if (!done) hash.add(value);
    return done ? null : value;
  };
  try {
    for (let piece = await next(); piece; piece = await next()) yield piece;
  } catch (error) {
    isFailed = true;
    throw error;
  } finally {
    // A reader may leave at the last byte that it needs: the rest counts too.
    while (!isFailed && !signal?.aborted && (await next()));
    await source.return?.();
    if (!isFailed && !signal?.aborted) await verify();
  }

  async function verify(): Promise<void> {
    const found = hash.end();
    if (found === wanted) return onChecked();
    await onRefused();
    fail(
      'bad_checkpoint',
      `${name} is not the file that integrity names: its SHA-256 is ${found}, not ${wanted}`,
    );
  }
}
