/** A state dict written by `torch.save`: a zip archive, or before PyTorch 1.6 pickles followed by the storages. */

import { ByteReader } from '../files/byte_reader.js';
import type { Folder, MissingFile, SeekableFile } from '../files/folder.js';
import type { StoredTensor } from './stored_tensor.js';
import { readTorchLegacy } from './torch_legacy.js';
import { readTorchZip } from './torch_zip.js';
import type { OpenOptions, WeightFile } from './weight_file.js';
import { readRange } from './zip.js';

/**
 * Needs random access for the headers; the storages are still read as one stream.
 *
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export async function openTorch(
  folder: Folder,
  name: string,
  { signal, onDownload }: OpenOptions,
): Promise<WeightFile | MissingFile> {
  const opened = await folder.open(name, signal);
  if ('missing' in opened) return opened;
  const file = await opened.seekable((loaded) => onDownload?.(name, loaded, opened.announcedSize));
  let reader: ByteReader | null = null;
  const close = async () => {
    await reader?.close();
    await file.close();
  };
  try {
    return {
      name,
      size: file.size,
      tensors: await readTensorList(file, name),
      end: null,
      async readFrom(place) {
        if (reader && reader.position <= place) return reader;
        await reader?.close();
        reader = new ByteReader(file.bytes(place, file.size), name, place);
        return reader;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readTensorList(file: SeekableFile, name: string): Promise<StoredTensor[]> {
  const end = Math.min(file.size, 4);
  const [p, k] = await readRange(file, { begin: 0, end, name, what: 'its first bytes' });
  const isZip = p === 0x50 && k === 0x4b;
  return isZip ? readTorchZip(file, name) : readTorchLegacy(file, name);
}
