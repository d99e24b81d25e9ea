/**
 * The header of a GGUF file: its magic number and version, how many tensors and keys there are, the keys with their
 * values, the tensors with their types and places. It is untrusted: everything in it is checked first, and errors name
 * the byte.
 */

import { nextTask } from '../engine/next_task.js';
import { elements, isIndex } from '../values/tensor.js';
import { entriesAtOnce, type GgufBytes } from './gguf_bytes.js';
import { type GgufType, ggufTypes, otherType, readTypes } from './gguf_types.js';

export type GgufValue =
  | number
  | boolean
  | string
  | readonly number[]
  | readonly boolean[]
  | readonly string[];
export type Metadata = ReadonlyMap<string, GgufValue>;

export interface GgufTensor {
  readonly name: string;
  /** Slowest axis first, as everywhere else; the file has it the other way round. */
  readonly shape: readonly number[];
  readonly type: GgufType;
  /** Its place in the file. */
  readonly begin: number;
  readonly bytes: number;
}

export interface GgufHeader {
  readonly metadata: Metadata;
  /** In the order of their places. */
  readonly tensors: readonly GgufTensor[];
}

const mostKeys = 1 << 16;
const mostTensors = 100_000;
/** Some four times the largest vocabulary. */
const mostEntries = 1 << 20;
const mostAxes = 4;

interface NumberType {
  readonly bytes: number;
  read(view: DataView, place: number): number | boolean;
}

const integer = (bytes: number, read: (view: DataView, place: number) => number): NumberType => ({
  bytes,
  read,
});

/** By the numbers that stand for them. Integers of 64 bits are exact up to 2^53. */
const numberTypes: ReadonlyMap<number, NumberType> = new Map([
  [0, integer(1, (view, place) => view.getUint8(place))],
  [1, integer(1, (view, place) => view.getInt8(place))],
  [2, integer(2, (view, place) => view.getUint16(place, true))],
  [3, integer(2, (view, place) => view.getInt16(place, true))],
  [4, integer(4, (view, place) => view.getUint32(place, true))],
  [5, integer(4, (view, place) => view.getInt32(place, true))],
  [6, integer(4, (view, place) => view.getFloat32(place, true))],
  [7, { bytes: 1, read: (view: DataView, place: number) => view.getUint8(place) !== 0 }],
  [10, integer(8, (view, place) => Number(view.getBigUint64(place, true)))],
  [11, integer(8, (view, place) => Number(view.getBigInt64(place, true)))],
  [12, integer(8, (view, place) => view.getFloat64(place, true))],
]);
const kText = 8;
const kArray = 9;

/**
 * @param fileSize in bytes, if known
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export async function readGgufHeader(bytes: GgufBytes, fileSize: number | null): Promise<GgufHeader> {
  await checkStart(bytes);
  const tensorCount = await bytes.count('the number of tensors', mostTensors);
  const keyCount = await bytes.count('the number of keys', mostKeys);
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < keyCount; i++) {
    const at = bytes.position;
    const key = await bytes.text(`the name of key ${i}`);
    if (metadata.has(key)) bytes.wrong(`the key '${key}' is there twice`, at);
    metadata.set(key, await readValue(bytes, `'${key}'`));
  }
  const entries: Entry[] = [];
  const names = new Set<string>();
  for (let i = 0; i < tensorCount; i++) {
    const entry = await readEntry(bytes, i);
    if (names.has(entry.name)) bytes.wrong(`the tensor '${entry.name}' is there twice`, entry.at);
    names.add(entry.name);
    entries.push(entry);
  }
  return { metadata, tensors: placed(entries, { bytes, metadata, fileSize }) };
}

/** 'GGUF' as a number. */
const kMagic = 0x46554747;

async function checkStart(bytes: GgufBytes): Promise<void> {
  if ((await bytes.u32('the magic number')) !== kMagic) bytes.wrong('this is not a GGUF file', 0);
  const version = await bytes.u32('the version');
  if (version === 2 || version === 3) return;
  const isSwapped = version !== 0 && version % 0x10000 === 0;
  bytes.unsupported(
    isSwapped
      ? 'numbers are big-endian'
      : `version ${version} of GGUF is not supported; supported are 2 and 3`,
    4,
  );
}

async function readValue(bytes: GgufBytes, what: string): Promise<GgufValue> {
  const at = bytes.position;
  const type = await bytes.u32(`the type of ${what}`);
  if (type === kText) return bytes.text(what);
  if (type !== kArray) return readNumber(bytes, numberType(bytes, type, what, at), what);
  const ofEntries = await bytes.u32(`the type of the entries of ${what}`);
  const count = await bytes.count(`the number of entries of ${what}`, mostEntries);
  if (ofEntries === kText) return bytes.texts(count, what);
  const entryType = numberType(bytes, ofEntries, `the entries of ${what}`, at + 4);
  const values: (number | boolean)[] = [];
  for (let i = 0; i < count; i++) {
    const wait = bytes.need(entryType.bytes, what);
    if (wait) await wait;
    values.push(bytes.take(entryType.bytes, entryType.read));
    if (i % entriesAtOnce === 0) await nextTask();
  }
  return values as readonly number[] | readonly boolean[];
}

async function readNumber(
  bytes: GgufBytes,
  { bytes: size, read }: NumberType,
  what: string,
): Promise<number | boolean> {
  await bytes.need(size, what);
  return bytes.take(size, read);
}

function numberType(bytes: GgufBytes, type: number, what: string, at: number): NumberType {
  if (type === kArray) bytes.unsupported(`${what} are lists, which no known model has`, at);
  return numberTypes.get(type) ?? bytes.wrong(`${what} is of the unknown type ${type}`, at);
}

/** A tensor before its place in the file is known. */
interface Entry extends Omit<GgufTensor, 'begin'> {
  readonly offset: number;
  /** Where its entry begins. */
  readonly at: number;
}

async function readEntry(bytes: GgufBytes, index: number): Promise<Entry> {
  const at = bytes.position;
  const name = await bytes.text(`the name of tensor ${index}`);
  const what = `the tensor '${name.slice(0, 80)}'`;
  const atAxes = bytes.position;
  const axes = await bytes.u32(`the number of axes of ${what}`);
  if (axes > mostAxes) bytes.wrong(`${what} has ${axes} axes, more than ${mostAxes}`, atAxes);
  const shape: number[] = [];
  for (let i = 0; i < axes; i++) shape.unshift(await bytes.count(`axis ${i} of ${what}`));
  if (!shape.every((size) => isIndex(size) && size > 0) || !Number.isSafeInteger(elements(shape)))
    bytes.wrong(`${what} has the shape [${shape}]`, atAxes);
  const atType = bytes.position;
  const number = await bytes.u32(`the type of ${what}`);
  const type = ggufTypes.get(number);
  if (!type) {
    const known = otherType(number);
    const supported = `supported are ${readTypes.join(', ')}`;
    if (known)
      bytes.unsupported(`${what} is stored as ${known}, which is not supported; ${supported}`, atType);
    return bytes.wrong(`${what} is of the unknown type ${number}; ${supported}`, atType);
  }
  const offset = await bytes.count(`the offset of ${what}`);
  return {
    name,
    shape,
    type,
    offset,
    at,
    bytes: bytesOf({ shape, type }, (wrong) => bytes.wrong(`${what} ${wrong}`, atType)),
  };
}

function bytesOf(
  { shape, type }: Pick<GgufTensor, 'shape' | 'type'>,
  wrong: (what: string) => never,
): number {
  const { name, numbers, bytes } = type;
  const cols = shape.at(-1) ?? 1;
  if (cols % numbers !== 0)
    wrong(`has rows of ${cols} numbers, which are no whole blocks of ${numbers} (${name})`);
  return (elements(shape) / numbers) * bytes;
}

interface Whole {
  readonly bytes: GgufBytes;
  readonly metadata: Metadata;
  readonly fileSize: number | null;
}

/** The tensors where they are: behind the header, aligned, and one after the other. */
function placed(entries: readonly Entry[], { bytes, metadata, fileSize }: Whole): GgufTensor[] {
  const alignment = metadata.get('general.alignment') ?? 32;
  if (!isIndex(alignment) || alignment === 0 || alignment % 8 !== 0)
    return bytes.wrong(`general.alignment is ${alignment}, not a multiple of 8`);
  const data = Math.ceil(bytes.position / alignment) * alignment;
  let reached = 0;
  const inOrder = [...entries].sort((a, b) => a.offset - b.offset);
  return inOrder.map(({ name, shape, type, offset, at, bytes: size }) => {
    const wrong = (what: string) => bytes.wrong(`the tensor '${name.slice(0, 80)}' ${what}`, at);
    if (offset % alignment !== 0) wrong(`begins at the offset ${offset}, not at a multiple of ${alignment}`);
    if (offset < reached) wrong(`overlaps the one before it, which ends at the offset ${reached}`);
    const begin = data + offset;
    if (fileSize !== null && begin + size > fileSize)
      wrong(`ends at byte ${begin + size}, but the file is cut off at ${fileSize}`);
    reached = offset + size;
    return { name, shape, type, begin, bytes: size };
  });
}
