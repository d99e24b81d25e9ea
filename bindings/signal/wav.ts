/** WAV files (RIFF): integers of 8, 16, 24 and 32 bits, and floats. */

import type { SeekableFile } from '../files/folder.js';
import { fail } from '../values/errors.js';
import { mixed, type Sound } from './sound.js';

const formats = { integer: 1, float: 3, extensible: 0xfffe } as const;

type ReadSample = (view: DataView, at: number) => number;

/** How a sample of each kind is read, by `format.bits`. */
const readers: Readonly<Record<string, ReadSample>> = {
  '1.8': (view, at) => (view.getUint8(at) - 128) / 2 ** 7,
  '1.16': (view, at) => view.getInt16(at, true) / 2 ** 15,
  '1.24': (view, at) => (view.getUint8(at) | (view.getInt16(at + 1, true) << 8)) / 2 ** 23,
  '1.32': (view, at) => view.getInt32(at, true) / 2 ** 31,
  '3.32': (view, at) => view.getFloat32(at, true),
  '3.64': (view, at) => view.getFloat64(at, true),
};

/** Whether a file is WAV, by its first bytes. */
export async function isWav(file: SeekableFile): Promise<boolean> {
  const bytes = await readBytes(file, 0, Math.min(12, file.size));
  return text(bytes, 0) === 'RIFF' && text(bytes, 8) === 'WAVE';
}

const text = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));

/**
 * Reads the header; samples are read when they are needed.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`
 */
export async function openWav(file: SeekableFile): Promise<Sound> {
  const chunks = await chunksOf(file);
  const [format, data] = [chunks.get('fmt '), chunks.get('data')];
  if (!format || !data || format.size < 16)
    fail('invalid_argument', 'the WAV file has no format or no data: it is damaged');
  const view = viewOf(await readBytes(file, format.begin, format.begin + Math.min(format.size, 26)));
  const kind = view.getUint16(0, true);
  const count = view.getUint16(2, true);
  const bits = view.getUint16(14, true);
  // An extensible format names its kind in the first bytes of a GUID.
  const isExtended = kind === formats.extensible && view.byteLength >= 26;
  const actual = isExtended ? view.getUint16(24, true) : kind;
  const read = readers[`${actual}.${bits}`];
  if (!read)
    fail('unsupported', `this WAV file has ${bits}-bit samples of format ${actual}, which cannot be read`);
  if (count === 0) fail('invalid_argument', 'the WAV file has no channels');
  const layout = { count, step: bits / 8, read };
  const frame = count * layout.step;
  return {
    sampleRate: view.getUint32(4, true),
    length: Math.floor(data.size / frame),
    missing: Math.ceil(data.missing / frame),
    async read(begin, end) {
      const bytes = await readBytes(file, data.begin + begin * frame, data.begin + end * frame);
      return mixed(channelsOf(viewOf(bytes), layout));
    },
    close: () => file.close(),
  };
}

function channelsOf(
  view: DataView,
  { count, step, read }: { count: number; step: number; read: ReadSample },
): Float32Array[] {
  const length = view.byteLength / (count * step);
  return Array.from({ length: count }, (_, channel) => {
    const samples = new Float32Array(length);
    for (let i = 0; i < length; i++) samples[i] = read(view, (i * count + channel) * step);
    return samples;
  });
}

interface Chunk {
  readonly begin: number;
  readonly size: number;
  /** The bytes that it says it has, but that the file does not. */
  readonly missing: number;
}

/**
 * From here on, a size means that it was not known when the header was written: programs that write into a pipe put the
 * largest number there, with or without a sign, or a little less.
 */
const unknownSize = 0x7ffff000;

/** Recordings have some ten chunks; a file of empty ones would have millions. */
const maxChunks = 1000;

/** The chunks up to the samples, which follow their format. */
async function chunksOf(file: SeekableFile): Promise<Map<string, Chunk>> {
  const chunks = new Map<string, Chunk>();
  const isWhole = () => chunks.has('fmt ') && chunks.has('data');
  const whole = viewOf(await readBytes(file, 4, 8)).getUint32(0, true);
  let at = 12;
  for (let count = 0; at + 8 <= file.size && !isWhole(); count++) {
    if (count === maxChunks)
      fail('invalid_argument', `the WAV file has no sound in its first ${maxChunks} chunks`);
    const head = await readBytes(file, at, at + 8);
    const [name, stated] = [text(head, 0), viewOf(head).getUint32(4, true)];
    const begin = at + 8;
    const left = file.size - begin;
    // Nothing is what a recorder writes first, too: it is meant where the file as a whole counts what comes after.
    const isUnfinished = name === 'data' && stated === 0 && (8 + whole <= begin || whole >= unknownSize);
    const isUnknown = stated >= unknownSize || isUnfinished;
    const size = isUnknown ? left : Math.min(stated, left);
    chunks.set(name, { begin, size, missing: isUnknown ? 0 : stated - size });
    at = begin + size + (size % 2);
  }
  return chunks;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The bytes [begin, end), which are within the file. */
export async function readBytes(
  file: SeekableFile,
  begin: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(end - begin);
  let filled = 0;
  for await (const piece of file.bytes(begin, end)) {
    bytes.set(piece, filled);
    filled += piece.length;
  }
  return bytes;
}
