/** WAV files (RIFF): integers of 8, 16, 24 and 32 bits, and floats. */

import { fail } from '../engine/errors.js';

export interface Sound {
  /** The samples of each channel, in [-1, 1]. */
  readonly channels: readonly Float32Array[];
  /** In Hz. */
  readonly sampleRate: number;
}

export const isWav = (bytes: Uint8Array) => text(bytes, 0) === 'RIFF' && text(bytes, 8) === 'WAVE';

const text = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));

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

/** @throws TransformerError `invalid_argument`, `unsupported` */
export function readWav(bytes: Uint8Array): Sound {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks = chunksOf(bytes, view);
  const format = chunks.get('fmt ');
  const data = chunks.get('data');
  if (!format || !data || format.size < 16)
    fail('invalid_argument', 'the WAV file has no format or no data: it is damaged');
  const kind = view.getUint16(format.begin, true);
  const count = view.getUint16(format.begin + 2, true);
  const sampleRate = view.getUint32(format.begin + 4, true);
  const bits = view.getUint16(format.begin + 14, true);
  // An extensible format names its kind in the first bytes of a GUID.
  const isExtended = kind === formats.extensible && format.size >= 26;
  const actual = isExtended ? view.getUint16(format.begin + 24, true) : kind;
  const read = readers[`${actual}.${bits}`];
  if (!read)
    fail('unsupported', `this WAV file has ${bits}-bit samples of format ${actual}, which cannot be read`);
  if (count === 0) fail('invalid_argument', 'the WAV file has no channels');
  return { channels: readChannels(view, data, { count, step: bits / 8, read }), sampleRate };
}

function readChannels(
  view: DataView,
  { begin, size }: Chunk,
  { count, step, read }: { count: number; step: number; read: ReadSample },
): Float32Array[] {
  const length = Math.floor(size / (count * step));
  return Array.from({ length: count }, (_, channel) => {
    const samples = new Float32Array(length);
    for (let i = 0; i < length; i++) samples[i] = read(view, begin + (i * count + channel) * step);
    return samples;
  });
}

interface Chunk {
  readonly begin: number;
  readonly size: number;
}

function chunksOf(bytes: Uint8Array, view: DataView): Map<string, Chunk> {
  const chunks = new Map<string, Chunk>();
  for (let at = 12; at + 8 <= bytes.length; ) {
    const stated = view.getUint32(at + 4, true);
    // A recording that was cut short, or streamed, states more than there is.
    const size = Math.min(stated, bytes.length - at - 8);
    chunks.set(text(bytes, at), { begin: at + 8, size });
    at += 8 + size + (size % 2);
  }
  return chunks;
}
