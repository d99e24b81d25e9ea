/** Reads whatever a caller has as sound: samples, an AudioBuffer, or a file in any format that can be decoded here. */

import { fail } from '../engine/errors.js';
import { isNode } from '../engine/features.js';
import { checkNames, toObject } from '../engine/options.js';
import { describe } from '../engine/tensor.js';
import { isWav, readWav, type Sound } from './wav.js';

/** The part of a browser's AudioBuffer that is used. */
export interface AudioBufferLike {
  readonly sampleRate: number;
  readonly numberOfChannels: number;
  getChannelData(channel: number): Float32Array;
}

/**
 * A recording: samples of one channel in [-1, 1] at 16000 Hz; `{ samples, sampleRate }`, with an array for each channel
 * if there are several; an AudioBuffer; or a file as Blob, bytes, URL, or in Node.js a path. Node.js reads WAV, browsers
 * whatever they can play.
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
  const { channels, sampleRate } = sound;
  if (!Number.isFinite(sampleRate) || sampleRate <= 0)
    fail('invalid_argument', `the sample rate must be a positive number, got ${describe(sampleRate)}`);
  const length = channels[0]?.length ?? 0;
  if (length === 0) fail('invalid_argument', 'the audio is empty: it has no samples');
  if (channels.some((samples) => samples.length !== length))
    fail('invalid_argument', 'all channels of the audio must have the same number of samples');
  return sound;
}

async function open(source: SoundSource, signal: AbortSignal | undefined): Promise<Sound> {
  if (source instanceof Float32Array) return { channels: [source], sampleRate: usualRate };
  if (source instanceof Blob) return decode(new Uint8Array(await source.arrayBuffer()));
  if (source instanceof ArrayBuffer) return decode(new Uint8Array(source));
  if (source instanceof Uint8Array) return decode(source);
  if (typeof source === 'string' || source instanceof URL) return decode(await fetchBytes(source, signal));
  if (isAudioBuffer(source)) {
    const channels = Array.from({ length: source.numberOfChannels }, (_, i) => source.getChannelData(i));
    return { channels, sampleRate: source.sampleRate };
  }
  if (typeof source === 'object' && source !== null && 'samples' in source) return readSamples(source);
  return fail(
    'invalid_argument',
    `audio must be a Float32Array, { samples, sampleRate }, an AudioBuffer, or a file, got ${describe(source)}`,
  );
}

function readSamples(source: object): Sound {
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
  return { channels, sampleRate };
}

const isAudioBuffer = (source: object | null): source is AudioBufferLike =>
  source !== null && 'getChannelData' in source && typeof source.getChannelData === 'function';

async function decode(bytes: Uint8Array): Promise<Sound> {
  if (bytes.length === 0) fail('invalid_argument', 'the audio file is empty');
  // Not left to the browser, so that WAV files give the same samples everywhere.
  if (isWav(bytes)) return readWav(bytes);
  const Context = globalThis.OfflineAudioContext;
  if (typeof Context !== 'function') {
    const where = isNode ? 'Node.js reads WAV files only' : 'a worker cannot decode audio';
    fail('unsupported', `this audio file is not WAV, and ${where}; decode it and pass its samples`);
  }
  try {
    const buffer = await new Context(1, 1, usualRate).decodeAudioData(bytes.slice().buffer);
    return open(buffer, undefined);
  } catch (error) {
    return fail('unsupported', 'the browser cannot decode this audio file', error);
  }
}

async function fetchBytes(source: string | URL, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const isUrl = source instanceof URL || /^[a-z][a-z0-9+.-]+:/i.test(source);
  try {
    if (isNode && (!isUrl || String(source).startsWith('file:'))) {
      const path = isUrl ? new URL(source) : source;
      return await process.getBuiltinModule('node:fs').promises.readFile(path, { signal });
    }
    const response = await fetch(source, { signal: signal ?? null });
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`);
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    signal?.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return fail('missing_file', `Cannot read ${source}: ${why}`, error);
  }
}
