/**
 * The `torch.save` format before PyTorch 1.6: five pickles (magic number, protocol version, system information, the
 * state dict, the keys of the storages), then for each key the number of elements and the elements.
 */

import type { ByteReader } from '../files/byte_reader.js';
import type { SeekableFile } from '../files/folder.js';
import { fail } from '../values/errors.js';
import { readPickle } from './pickle.js';
import { CutOff, Dictionary, Sequence, type Value, type Vocabulary } from './pickle_machine.js';
import { placeTensors, readStateDict, type StorageReference } from './state_dict.js';
import type { StoredTensor, TensorStorage } from './stored_tensor.js';
import { maxPickleBytes } from './torch_zip.js';
import { readRange } from './zip.js';

const magic = 0x1950a86a20f9469cfc6cn;
const version = 1001;

/** @throws TransformerError `bad_checkpoint`, `unsupported` */
export async function readTorchLegacy(file: SeekableFile, name: string): Promise<StoredTensor[]> {
  const { tensors, keys, end } = await readPickles(file, name);
  const references = new Map([...tensors.values()].map(({ storage }) => [storage.key, storage]));
  const storages = placeStorages(keys, references, { begin: end, name });
  const last = [...storages.values()].at(-1);
  const reached = last ? last.begin + countBytes + last.bytes : end;
  if (reached > file.size)
    fail(
      'bad_checkpoint',
      `${name} is cut off: its storages end at byte ${reached}, the file at ${file.size}`,
    );
  if (reached < file.size) fail('bad_checkpoint', `${name} continues after its last storage`);
  return placeTensors(
    tensors,
    ({ key, bytes }, tensor) => {
      const storage = storages.get(key);
      if (!storage)
        return fail('bad_checkpoint', `${name}: the storage of the tensor '${tensor}' is missing`);
      if (storage.bytes !== bytes)
        fail('bad_checkpoint', `${name}: the storage of the tensor '${tensor}' has two sizes`);
      return storage;
    },
    { file: name, size: file.size },
  );
}

type StateDict = ReturnType<typeof readStateDict>['tensors'];

interface Pickles {
  readonly tensors: StateDict;
  readonly keys: readonly string[];
  readonly end: number;
}

/** The length of the pickles is unknown, so growing prefixes of the file are tried. */
async function readPickles(file: SeekableFile, name: string): Promise<Pickles> {
  for (let length = 1 << 18; ; length *= 4) {
    const end = Math.min(length, maxPickleBytes, file.size);
    const front = await readRange(file, { begin: 0, end, name, what: 'its pickles' });
    try {
      return parsePickles(front, name);
    } catch (error) {
      if (!(error instanceof CutOff) || end < length) throw error;
    }
  }
}

const plainData: Vocabulary = {
  names: new Map(),
  persistent: () => null,
};

function parsePickles(front: Uint8Array, file: string): Pickles {
  let end = 0;
  const next = (): Value => {
    const read = readPickle(front, plainData, { file, begin: end });
    end = read.end;
    return read.value;
  };
  if (front[0] !== 0x80 || next() !== magic)
    fail(
      'bad_checkpoint',
      `${file} was not written by torch.save: it is neither an archive nor in the older format`,
    );
  const found = next();
  if (found !== version)
    fail('unsupported', `${file} has an unknown format version; supported is ${version}`);
  const machine = next();
  if (!(machine instanceof Dictionary) || machine.items.get('little_endian') !== true)
    fail('unsupported', `${file} was written by a machine with another byte order`);
  const { tensors, end: behind } = readStateDict(front, { file, begin: end });
  end = behind;
  const keys = next();
  const items = keys instanceof Sequence ? keys.items : [null];
  if (!items.every((key) => typeof key === 'string'))
    return fail('bad_checkpoint', `${file}: the keys of its storages are not a list of strings`);
  return { tensors, keys: items, end };
}

/** Each storage is preceded by its number of elements. */
const countBytes = 8;

function placeStorages(
  keys: readonly string[],
  references: ReadonlyMap<string, StorageReference>,
  { begin, name }: { begin: number; name: string },
): Map<string, TensorStorage> {
  const storages = new Map<string, TensorStorage>();
  let place = begin;
  for (const key of keys) {
    const reference = references.get(key);
    if (!reference) return fail('bad_checkpoint', `${name}: the storage '${key}' belongs to no tensor`);
    if (storages.has(key)) fail('bad_checkpoint', `${name} names the storage '${key}' twice`);
    const { bytes, elements } = reference;
    const enter = (reader: ByteReader) => checkCount(reader, { elements, key, name });
    storages.set(key, { begin: place, bytes, enter });
    place += countBytes + bytes;
  }
  return storages;
}

async function checkCount(
  reader: ByteReader,
  { elements, key, name }: { elements: number; key: string; name: string },
): Promise<void> {
  const what = `the storage '${key}'`;
  const count = new DataView((await reader.read(countBytes, what)).buffer).getBigInt64(0, true);
  if (count !== BigInt(elements))
    fail('bad_checkpoint', `${name}: ${what} has ${count} elements, but the pickle says ${elements}`);
}
