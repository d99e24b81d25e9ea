/** Reads whatever a caller has as sound: samples, an AudioBuffer, or a file in any format that can be decoded here. */

import type { SeekableFile } from '../files/folder.js';
import { seekableBlob, seekableBytes } from '../files/folder_files.js';
import { folderOfPath } from '../files/folder_node.js';
import { isNode } from '../modules/is_node.js';
import { fail } from '../values/errors.js';
import { checkNames, toObject } from '../values/options.js';
import { describe } from '../values/tensor.js';
import { fetchMedia } from './fetch_media.js';
import { type Sound, soundOfSamples } from './sound.js';
import { isWav, openWav, readBytes } from './wav.js';

/** The part of a browser's AudioBuffer that is used. */
export interface AudioBufferLike {
  readonly sampleRate: number;
  readonly numberOfChannels: number;
  getChannelData(channel: number): Float32Array;
}

/**
 * A recording: samples of one channel in [-1, 1] at 16000 Hz; `{ samples, sampleRate }`, with an array for each channel
 * if there are several; an AudioBuffer; or a file as Blob, bytes, URL, or in Node.js a path. Node.js reads WAV,
 * browsers whatever they can play, most of it window by window.
 */
export type SoundSource =
  | Float32Array
  | { readonly samples: Float32Array | readonly Float32Array[]; readonly sampleRate: number }
  | AudioBufferLike
  | Blob
  | ArrayBuffer
  | Uint8Array
  | URL
  | string;

/** The rate that plain samples are taken to have, in Hz. */
const usualRate = 16000;

/** @throws TransformerError `invalid_argument`, `unsupported`, `missing_file`; the signal's reason. */
export async function openSound(source: SoundSource, signal?: AbortSignal): Promise<Sound> {
  const sound = await open(source, signal);
  const { length, sampleRate } = sound;
  if (length > 0 && Number.isFinite(sampleRate) && sampleRate > 0) return sound;
  await sound.close();
  if (length === 0) fail('invalid_argument', 'the audio is empty: it has no samples');
  return fail('invalid_argument', `the sample rate must be a positive number, got ${describe(sampleRate)}`);
}

async function open(source: SoundSource, signal: AbortSignal | undefined): Promise<Sound> {
  if (source instanceof Float32Array) return soundOfSamples([source], usualRate);
  if (source instanceof Blob) return openFile(seekableBlob(source), signal);
  if (source instanceof ArrayBuffer) return openFile(seekableBytes(new Uint8Array(source)), signal);
  if (source instanceof Uint8Array) return openFile(seekableBytes(source), signal);
  if (typeof source === 'string' || source instanceof URL)
    return openFile(await fileAt(source, signal), signal);
  if (isAudioBuffer(source)) return soundOfBuffer(source);
  if (typeof source === 'object' && source !== null && 'samples' in source) return soundOf(source);
  return fail(
    'invalid_argument',
    `audio must be a Float32Array, { samples, sampleRate }, an AudioBuffer, or a file, got ${describe(source)}`,
  );
}

function soundOf(source: object): Sound {
  const { samples, sampleRate } = toObject(source, 'audio');
  checkNames(source, ['samples', 'sampleRate'], 'audio');
  const channels = samples instanceof Float32Array ? [samples] : samples;
  const isSamples = (value: unknown): value is Float32Array => value instanceof Float32Array;
  if (!Array.isArray(channels) || !channels.every(isSamples))
    fail(
      'invalid_argument',
      `samples must be a Float32Array, or one for each channel, got ${describe(samples)}`,
    );
  if (typeof sampleRate !== 'number')
    fail('invalid_argument', `sampleRate must be a number, got ${describe(sampleRate)}`);
  if (channels.some(({ length }) => length !== channels[0]?.length))
    fail('invalid_argument', 'all channels of the audio must have the same number of samples');
  return soundOfSamples(channels, sampleRate);
}

const isAudioBuffer = (source: unknown): source is AudioBufferLike =>
  typeof source === 'object' &&
  source !== null &&
  'getChannelData' in source &&
  typeof source.getChannelData === 'function';

function soundOfBuffer(buffer: AudioBufferLike): Sound {
  const channels = Array.from({ length: buffer.numberOfChannels }, (_, i) => buffer.getChannelData(i));
  return soundOfSamples(channels, buffer.sampleRate);
}

/** The file is closed with the sound, or at once if there is none in it. */
async function openFile(file: SeekableFile, signal: AbortSignal | undefined): Promise<Sound> {
  try {
    if (file.size === 0) fail('invalid_argument', 'the audio file is empty');
    // Not left to the browser, so that WAV files give the same samples everywhere.
    if (await isWav(file)) return await openWav(file);
    return (await decodeInParts(file, signal)) ?? (await decodeWhole(file));
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** In pages of https, and in workers of theirs; a bundle of one file goes without. */
async function decodeInParts(
  file: SeekableFile,
  signal: AbortSignal | undefined,
): Promise<Sound | undefined> {
  if (!('AudioDecoder' in globalThis)) return undefined;
  const { openCompressed } = await import('./compressed_sound.js');
  return openCompressed(file, signal);
}

async function decodeWhole(file: SeekableFile): Promise<Sound> {
  const Context = globalThis.OfflineAudioContext;
  if (typeof Context !== 'function') {
    const where = isNode ? 'Node.js reads WAV files only' : 'this worker cannot decode it';
    fail('unsupported', `this audio file is not WAV, and ${where}; decode it and pass its samples`);
  }
  const bytes = await readBytes(file, 0, file.size);
  await file.close();
  try {
    return soundOfBuffer(await new Context(1, 1, usualRate).decodeAudioData(bytes.buffer));
  } catch (error) {
    return fail('unsupported', 'the browser cannot decode this audio file', error);
  }
}

async function fileAt(source: string | URL, signal: AbortSignal | undefined): Promise<SeekableFile> {
  if (source === '') fail('invalid_argument', 'the name of a sound file is empty');
  const isUrl = source instanceof URL || /^[a-z][a-z0-9+.-]+:/i.test(source);
  if (isNode && (!isUrl || String(source).startsWith('file:'))) return fileOnDisk(source);
  return seekableBlob(await fetchMedia(source, { maxBytes: maxFileBytes, signal }));
}

/** The most bytes of a sound that is fetched: half a day in WAV, at 16000 Hz and 16 bits. */
const maxFileBytes = 2 ** 31;

async function fileOnDisk(source: string | URL): Promise<SeekableFile> {
  const { dirname, basename } = globalThis.process.getBuiltinModule('node:path');
  const { fileURLToPath } = globalThis.process.getBuiltinModule('node:url');
  const isUrl = source instanceof URL || source.startsWith('file:');
  const path = isUrl ? fileURLToPath(source) : source;
  const opened = await folderOfPath(dirname(path)).open(basename(path));
  if ('missing' in opened) fail('missing_file', `Cannot read ${path}: ${opened.missing}`);
  return opened.seekable();
}
