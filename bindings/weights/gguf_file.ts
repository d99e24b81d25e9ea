/** A GGUF file for loading: its header, then its tensors from front to back. */

import { ByteReader, bytesOf } from '../files/byte_reader.js';
import type { Folder } from '../files/folder.js';
import { openFile } from '../files/read_json.js';
import { fail } from '../values/errors.js';
import { toFloats } from './floats.js';
import { GgufBytes } from './gguf_bytes.js';
import { type GgufHeader, type GgufTensor, readGgufHeader } from './gguf_header.js';
import type { StoredTensor } from './stored_tensor.js';
import type { WeightFile } from './weight_file.js';

/** A tensor under the name that the model's family knows. */
export interface NamedTensor extends Pick<StoredTensor, 'name' | 'headRows' | 'added'> {
  readonly tensor: GgufTensor;
}

export interface OpenGguf {
  readonly name: string;
  readonly header: GgufHeader;
  /** The numbers of a small tensor, which is not in blocks. */
  numbers(tensor: GgufTensor): Promise<Float32Array>;
  /** Its tensors, for loading. */
  weights(tensors: readonly NamedTensor[]): WeightFile;
  close(): Promise<void>;
}

/**
 * Opens a file and reads its header. It is one stream, which starts again only for what lies before its place.
 *
 * @throws TransformerError `missing_file`, `bad_checkpoint`, `unsupported`
 */
export async function openGguf(folder: Folder, name: string, signal?: AbortSignal): Promise<OpenGguf> {
  const file = await openFile(folder, name, signal);
  const bytes = new GgufBytes(bytesOf(file), name);
  let reader: ByteReader | null = null;
  const readFrom = async (place: number): Promise<ByteReader> => {
    if (reader && reader.position <= place) return reader;
    await reader?.close();
    reader = new ByteReader(bytesOf(await openFile(folder, name, signal)), name);
    return reader;
  };
  const close = async () => {
    await reader?.close();
    reader = null;
  };
  try {
    const header = await readGgufHeader(bytes, file.size);
    reader = bytes.rest();
    return {
      name,
      header,
      async numbers({ name: wanted, begin, bytes: size, type }) {
        const what = `the tensor '${wanted}'`;
        if (type.numbers !== 1)
          fail('unsupported', `${name}: ${what} is stored as ${type.name}, expected floats`);
        const from = await readFrom(begin);
        await from.skipTo(begin, what);
        return toFloats(await from.read(size, what), type.name);
      },
      weights(named) {
        const tensors = named.map(storedTensor);
        const size = Math.max(0, ...named.map(({ tensor }) => tensor.begin + tensor.bytes));
        return { name, size, tensors, end: null, readFrom, close };
      },
      close,
    };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

const storedTensor = ({ tensor: { shape, type, begin, bytes }, ...named }: NamedTensor): StoredTensor => ({
  ...named,
  dtype: type.name,
  shape,
  block: type,
  storage: { begin, bytes },
  offset: 0,
  strides: null,
});
