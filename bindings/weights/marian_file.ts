/**
 * A Marian model file as weights: matrices as [out, in], as everywhere else. Integers of 8 bits (intgemm8) stay as they
 * are: q / m for one multiplier m of the whole matrix, which follows them. `X_QuantMultA` is the fixed multiplier of
 * the activations that X is multiplied with.
 */

import { ByteReader } from '../files/byte_reader.js';
import type { Folder } from '../files/folder.js';
import { openFile } from '../files/read_json.js';
import { fail } from '../values/errors.js';
import { elements } from '../values/tensor.js';
import { type MarianItem, readMarianHeader } from './marian_header.js';
import type { StoredTensor } from './stored_tensor.js';
import type { WeightFiles } from './weight_file.js';

const types: ReadonlyMap<number, { readonly dtype: string; readonly bytes: number }> = new Map([
  [0x0404, { dtype: 'F32', bytes: 4 }],
  [0x0402, { dtype: 'F16', bytes: 2 }],
  [0x4101, { dtype: 'I8', bytes: 1 }],
]);
const int8 = 0x0101;
const intgemm8 = 0x4101;

const optionsItem = 'special:model.yml';
const multiplierEnding = '_QuantMultA';

interface MarianFile {
  readonly files: WeightFiles;
  /** The training options in the file, as YAML. */
  readonly options: string;
}

/** @throws TransformerError `missing_file`; `bad_checkpoint`, naming the byte; `unsupported` for other types. */
export async function openMarianFile(
  folder: Folder,
  name: string,
  signal?: AbortSignal,
): Promise<MarianFile> {
  const file = await (await openFile(folder, name, signal)).seekable();
  let bytes: Uint8Array = new Uint8Array(0);
  for await (const piece of file.bytes(0, file.size)) bytes = piece; // one piece: the file is in memory
  const items = readMarianHeader(bytes, name);
  const multipliers = new Map(
    items
      .filter((item) => item.name.endsWith(multiplierEnding))
      .map((item) => [item.name.slice(0, -multiplierEnding.length), multiplierOf(item, bytes, name)]),
  );
  const tensors = items
    .filter((item) => item.name !== optionsItem && !item.name.endsWith(multiplierEnding))
    .map((item) => tensorOf(item, bytes, { name, multipliers }));
  const open = {
    name,
    size: bytes.length,
    tensors,
    end: null,
    readFrom: async (place: number) => new ByteReader(onePiece(bytes.subarray(place)), name, place),
    close: async () => {},
  };
  return { files: { ...open, files: [open] }, options: optionsOf(items, bytes, name) };
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function optionsOf(items: readonly MarianItem[], bytes: Uint8Array, file: string): string {
  const item = items.find(({ name, type }) => name === optionsItem && type === int8);
  if (!item) fail('bad_checkpoint', `${file} has no '${optionsItem}', which tells the shape of the model`);
  return new TextDecoder()
    .decode(bytes.subarray(item.begin, item.begin + elements(item.shape)))
    .replace(/\0+$/, '');
}

/** Whether the numbers are a table of embeddings, which has a row for each token; other matrices are [in, out]. */
const isTable = (name: string) => name.includes('Wemb');
const isMatrix = ({ name, shape }: MarianItem) => shape.length === 2 && /_W[a-z0-9]?$/.test(name);

function typeOf({ name, type }: MarianItem, file: string) {
  const known = types.get(type);
  if (known) return known;
  return fail(
    'unsupported',
    `${file}: '${name}' has the type 0x${type.toString(16).padStart(4, '0')}; supported are float32 (0x0404), float16 (0x0402) and intgemm8 (0x4101)`,
  );
}

function tensorOf(
  item: MarianItem,
  bytes: Uint8Array,
  { name: file, multipliers }: { name: string; multipliers: ReadonlyMap<string, number> },
): StoredTensor {
  const { name, type, begin } = item;
  const known = typeOf(item, file);
  const count = requireBytes(item, known.bytes, file);
  const storage = { begin, bytes: count * known.bytes };
  const tensor = { name, dtype: known.dtype, storage, offset: 0, strides: null };
  const [rows = 1, cols = 1] = item.shape;
  if (isTable(name) || !isMatrix(item)) {
    // Biases and norms are rows: [1, width].
    const shape = item.shape.length === 2 && rows === 1 && !isTable(name) ? [cols] : item.shape;
    return {
      ...tensor,
      shape,
      ...(type === intgemm8 && { integers: integersOf(item, bytes, { file, multipliers }) }),
    };
  }
  if (type !== intgemm8) return { ...tensor, shape: [cols, rows], strides: [1, cols] };
  // The integers are stored transposed.
  return { ...tensor, shape: [cols, rows], integers: integersOf(item, bytes, { file, multipliers }) };
}

/** The number of elements. @throws TransformerError `bad_checkpoint` if the item's data is shorter. */
function requireBytes({ name, shape, begin, bytes, type }: MarianItem, size: number, file: string): number {
  const count = elements(shape);
  const needed = count * size + (type === intgemm8 ? 4 : 0);
  if (bytes >= needed) return count;
  return fail(
    'bad_checkpoint',
    `${file}: byte ${begin}: expected ${needed} bytes for '${name}' of the shape [${shape}], got ${bytes}`,
  );
}

const floatAt = (bytes: Uint8Array, place: number) =>
  new DataView(bytes.buffer, bytes.byteOffset).getFloat32(place, true);

/** The multiplier m after integers, which are x * m. */
function quantizerOf(item: MarianItem, bytes: Uint8Array, file: string): number {
  const place = item.begin + requireBytes(item, 1, file);
  return positive(floatAt(bytes, place), `${file}: byte ${place}: expected the multiplier of '${item.name}'`);
}

function positive(value: number, what: string): number {
  if (value > 0 && Number.isFinite(value)) return value;
  return fail('bad_checkpoint', `${what}, a positive number, got ${value}`);
}

function integersOf(
  item: MarianItem,
  bytes: Uint8Array,
  { file, multipliers }: { file: string; multipliers: ReadonlyMap<string, number> },
): NonNullable<StoredTensor['integers']> {
  const multiplier = multipliers.get(item.name);
  return { weights: quantizerOf(item, bytes, file), activations: multiplier ?? null };
}

/** Published files hold some of these numbers as integers, too: their names contain Wemb. */
function multiplierOf(item: MarianItem, bytes: Uint8Array, file: string): number {
  const what = `${file}: byte ${item.begin}: expected '${item.name}'`;
  typeOf(item, file);
  if (item.type === intgemm8) {
    const integer = new Int8Array(bytes.buffer, bytes.byteOffset)[item.begin] ?? 0;
    return positive(integer / quantizerOf(item, bytes, file), what);
  }
  requireBytes(item, 4, file);
  return positive(floatAt(bytes, item.begin), what);
}
