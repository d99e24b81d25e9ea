/** The `torch.save` format: a zip archive with the pickle in `data.pkl` and a file for each storage in `data/`. */

import type { SeekableFile } from '../files/folder.js';
import { fail } from '../values/errors.js';
import { placeTensors, readStateDict } from './state_dict.js';
import type { StoredTensor, TensorStorage } from './stored_tensor.js';
import { enterEntry, readEntry, readZip, type ZipEntry } from './zip.js';

/** Enough for a hundred thousand tensors. */
export const maxPickleBytes = 16 << 20;

/** @throws TransformerError `bad_checkpoint`, `unsupported` */
export async function readTorchZip(file: SeekableFile, name: string): Promise<StoredTensor[]> {
  const entries = await readZip(file, name);
  const { root, pickle } = findPickle(entries, name);
  await checkByteOrder(file, entries.get(`${root}byteorder`), name);
  const bytes = await readEntry(file, pickle, { file: name, maxBytes: maxPickleBytes });
  const { tensors } = readStateDict(bytes, { file: name });
  const storages = new Map<ZipEntry, TensorStorage>();
  return placeTensors(
    tensors,
    (storage, tensor) => {
      const entry = entries.get(`${root}data/${storage.key}`);
      if (!entry)
        return fail('bad_checkpoint', `${name}: the storage of the tensor '${tensor}' is not in the archive`);
      if (entry.bytes !== storage.bytes) {
        fail(
          'bad_checkpoint',
          `${name}: the storage of the tensor '${tensor}' has ${entry.bytes} bytes, but the pickle says ${storage.bytes}`,
        );
      }
      const known = storages.get(entry);
      if (known) return known;
      const { begin, bytes } = entry;
      const made: TensorStorage = { begin, bytes, enter: (reader) => enterEntry(reader, entry, name) };
      storages.set(entry, made);
      return made;
    },
    { file: name, size: file.size },
  );
}

/** All entries are in a folder that has the name that the file was saved under. */
function findPickle(
  entries: ReadonlyMap<string, ZipEntry>,
  file: string,
): { root: string; pickle: ZipEntry } {
  for (const [name, pickle] of entries) {
    const [, root] = /^([^/]*\/)data\.pkl$/.exec(name) ?? [];
    if (root !== undefined) return { root, pickle };
  }
  fail('bad_checkpoint', `${file} is an archive without a data.pkl: torch.save did not write it`);
}

async function checkByteOrder(file: SeekableFile, entry: ZipEntry | undefined, name: string): Promise<void> {
  if (!entry) return;
  const order = new TextDecoder().decode(await readEntry(file, entry, { file: name, maxBytes: 64 }));
  if (order.trim() !== 'little')
    fail('unsupported', `${name} was written by a machine with another byte order ('${order.trim()}')`);
}
