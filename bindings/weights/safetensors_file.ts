/** A safetensors file for loading: its header first, then its bytes from front to back. */

import { ByteReader, bytesOf } from '../files/byte_reader.js';
import type { Folder, MissingFile, OpenFile } from '../files/folder.js';
import { openFile } from '../files/read_json.js';
import { fail } from '../values/errors.js';
import { readHeader } from './safetensors.js';
import type { OpenOptions, WeightFile } from './weight_file.js';

/**
 * A single file is read as one stream. One of many closes its stream after the header and reopens it later: browsers
 * allow six simultaneous downloads per server, and a seventh would wait forever.
 *
 * @throws TransformerError `bad_checkpoint` for an invalid header.
 */
export async function openSafetensors(
  folder: Folder,
  name: string,
  { signal, isOneOfMany = false }: OpenOptions & { isOneOfMany?: boolean },
): Promise<WeightFile | MissingFile> {
  const file = await folder.open(name, signal);
  if ('missing' in file) return file;
  let end: number | null = null;
  let reader: ByteReader | null = null;
  // The header says where the file ends, whether or not its server does.
  const isWhole = () => reader?.position === end;
  const readerOf = (opened: OpenFile) => new ByteReader(bytesOf(opened, isWhole), name);
  reader = readerOf(file);
  const close = async () => {
    const open = reader;
    reader = null;
    await open?.close();
  };
  try {
    const tensors = await readHeader(reader, name, file.size);
    const last = tensors.at(-1);
    end = last ? last.storage.begin + last.storage.bytes : reader.position;
    if (isOneOfMany) await close();
    return {
      name,
      // The header's, since a server announces no size for a compressed response.
      size: end,
      tensors,
      end,
      async readFrom(place) {
        if (reader && reader.position <= place) return reader;
        await close();
        reader = readerOf(await openAgain(folder, name, { before: file, signal }));
        return reader;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const sizeOf = ({ size, announcedSize }: OpenFile) => size ?? announcedSize;

async function openAgain(
  folder: Folder,
  name: string,
  { before, signal }: { before: OpenFile; signal: AbortSignal | undefined },
): Promise<OpenFile> {
  const file = await openFile(folder, name, signal);
  if (sizeOf(file) !== sizeOf(before)) {
    await file.close();
    fail('bad_checkpoint', `${name} changed while it was being read: its size is different`);
  }
  return file;
}
