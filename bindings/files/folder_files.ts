/** Folders whose files are at hand: blobs, bytes, and handles from a browser. */

import { fail, messageOf } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import type { Folder, FolderHandle, MissingFile, OpenFile, SeekableFile } from './folder.js';

type OpenAddress = (address: URL, signal?: AbortSignal) => Promise<OpenFile | MissingFile>;

/** The name of a file that is the whole model. */
const isSingle = (name: string) => /\.gguf$/i.test(name);

/** The only such file among others, if there is no config.json. */
function singleOf(names: readonly string[]): string | undefined {
  const single = names.filter(isSingle);
  return single.length === 1 && !names.includes('config.json') ? single[0] : undefined;
}

/** A file that is the whole model, whatever its name is. */
export function folderOfFile(blob: Blob): Folder {
  const given = 'name' in blob && typeof blob.name === 'string' ? blob.name : '';
  const name = isSingle(given) ? given : 'model.gguf';
  const open = async (wanted: string) =>
    wanted === name ? fileOf(seekableBlob(blob)) : missing(wanted, 'the chosen file', [name]);
  return { name: 'the chosen file', file: name, open };
}

/** @param openAddress opens a file that the map has the address of */
export function folderOfMap(
  files: ReadonlyMap<string, Blob | Uint8Array | URL>,
  openAddress: OpenAddress,
): Folder {
  const names = [...files.keys()];
  for (const name of names as unknown[])
    if (typeof name !== 'string')
      fail('invalid_argument', `the map of files has the name ${describe(name)}, which is not a string`);
  return {
    name: 'the map of files',
    file: singleOf(names),
    names: async () => names,
    async open(name, signal) {
      const content = files.get(name);
      if (content === undefined) return missing(name, 'the map of files', names);
      if (content instanceof Uint8Array) return fileOf(seekableBytes(content));
      if (content instanceof Blob) return fileOf(seekableBlob(content));
      if (content instanceof URL) return openAddress(content, signal);
      return fail(
        'invalid_argument',
        `the map of files holds neither a Blob, a Uint8Array nor a URL under '${name}'`,
      );
    },
  };
}

/** Files by name; if several folders contain the same name, the one nearest to the top wins. */
export function folderOfFiles(source: Iterable<File>): Folder {
  const files = [...source];
  for (const file of files) {
    if (!(file instanceof Blob) || typeof file.name !== 'string') {
      fail('invalid_argument', 'a model passed as an array must be an array of File objects');
    }
  }
  const depth = (file: File) => file.webkitRelativePath?.split('/').length ?? 0;
  const nearestFirst = files.sort((a, b) => depth(a) - depth(b));
  return {
    name: 'the chosen files',
    file: singleOf(files.map(({ name }) => name)),
    names: async () => files.map(({ name }) => name),
    async open(name) {
      const file = nearestFirst.find((candidate) => isAt(candidate, name));
      const names = files.map((candidate) => candidate.name);
      return file ? fileOf(seekableBlob(file)) : missing(name, 'the chosen files', names);
    },
  };
}

/** Whether a file has a name, or is at a path such as `1_Pooling/config.json`, of which only a folder input knows. */
const isAt = ({ name, webkitRelativePath: path = '' }: File, wanted: string) =>
  wanted.includes('/') ? path.endsWith(`/${wanted}`) : name === wanted;

export function folderOfHandle(handle: FolderHandle): Folder {
  return {
    name: `the folder ${handle.name}`,
    names: () => namesIn(handle),
    async open(name) {
      try {
        const path = name.split('/');
        const last = path.pop() ?? name;
        let inside = handle;
        for (const part of path) {
          if (!inside.getDirectoryHandle) return { missing: `the folder ${handle.name} has no file ${name}` };
          inside = await inside.getDirectoryHandle(part);
        }
        const file = await inside.getFileHandle(last);
        return fileOf(seekableBlob(await file.getFile()));
      } catch (error) {
        const kind = error instanceof Error ? error.name : '';
        if (kind === 'NotFoundError' || kind === 'TypeMismatchError') {
          return { missing: `the folder ${handle.name} has no file ${name}` };
        }
        return fail(
          'missing_file',
          `${name} in the folder ${handle.name} could not be read: ${messageOf(error)}`,
        );
      }
    },
  };
}

async function namesIn(handle: FolderHandle): Promise<string[]> {
  const names: string[] = [];
  for await (const name of handle.keys?.() ?? []) names.push(name);
  return names;
}

function missing(name: string, where: string, names: string[]): MissingFile {
  const there =
    names.length > 0 ? `, only ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', ...' : ''}` : '';
  return { missing: `there is no ${name} in ${where}${there}` };
}

/** A file with random access, as one of a folder. */
export const fileOf = (file: SeekableFile): OpenFile => ({
  size: file.size,
  announcedSize: file.size,
  bytes: () => file.bytes(0, file.size),
  seekable: async () => file,
  close: () => file.close(),
});

export const seekableBytes = (content: Uint8Array): SeekableFile => ({
  size: content.byteLength,
  async *bytes(begin, end) {
    yield content.subarray(begin, end);
  },
  close: nothing,
});

export const seekableBlob = (blob: Blob): SeekableFile => ({
  size: blob.size,
  bytes: (begin, end) => bytesOf(blob, begin, end),
  close: nothing,
});

// A blob may be larger than memory, so it is read in pieces.
const piece = 4 << 20;

async function* bytesOf(blob: Blob, from: number, to: number): AsyncGenerator<Uint8Array, void, void> {
  for (let begin = from; begin < to; begin += piece) {
    const part = blob.slice(begin, Math.min(begin + piece, to));
    // A file on disk may have been deleted or changed since it was selected.
    const bytes = await part
      .arrayBuffer()
      .catch((error: Error) => fail('missing_file', `a file can no longer be read: ${error.message}`));
    yield new Uint8Array(bytes);
  }
}

const nothing = async () => {};
