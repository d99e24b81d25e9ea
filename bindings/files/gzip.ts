/** Folders whose files may be compressed with gzip, as Firefox's translation models are published. */

import { fail, messageOf } from '../values/errors.js';
import type { Folder, OpenFile } from './folder.js';
import { fileOf, seekableBytes } from './folder_files.js';

/** The largest published model has 60 MB; gzip makes a megabyte a gigabyte. */
const mostBytes = 256 << 20;

/**
 * The folder, whose files are found under their own names or with `.gz` behind them, and are unpacked. Each is in
 * memory as a whole once it is opened.
 *
 * @param onBytes called with the file's name and how many of its bytes have arrived
 */
export function withoutGzip(folder: Folder, onBytes?: (name: string, loaded: number) => void): Folder {
  return {
    ...folder,
    async open(name, signal) {
      const plain = await folder.open(name, signal);
      const packed = 'missing' in plain ? await folder.open(`${name}.gz`, signal) : plain;
      if ('missing' in packed) return 'missing' in plain ? plain : packed;
      const bytes = await bytesOf(packed, name, (loaded) => onBytes?.(name, loaded));
      return fileOf(seekableBytes(isGzip(bytes) ? await unpacked(bytes, name) : bytes));
    },
  };
}

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

async function bytesOf(
  file: OpenFile,
  name: string,
  onBytes: (loaded: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  return joined(file.bytes(), name, onBytes);
}

async function unpacked(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const reader = stream.getReader();
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { done, value } = await reader
        .read()
        .catch((error) =>
          fail('bad_checkpoint', `${name}: its gzip data is damaged or cut off (${messageOf(error)})`),
        );
      if (done) return;
      yield value;
    }
  }
  try {
    return await joined(pieces(), name, () => {});
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function joined(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  onBytes: (loaded: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > mostBytes) fail('bad_checkpoint', `${name} is larger than ${mostBytes >> 20} MB`);
    parts.push(piece.slice()); // the piece's memory may be used again
    onBytes(size);
  }
  const whole = new Uint8Array(size);
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}
