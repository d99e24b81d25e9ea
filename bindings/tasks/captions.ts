/**
 * Captions of sound that goes on. Whisper hears whole windows, so the newest one is written down again and again:
 * segments that end well before the present are kept, and what follows them may still change.
 */

import type { Loaded } from '../checkpoint/loaded.js';
import { type MediaStreamLike, openMediaStream, type StreamedSound } from '../signal/media_stream.js';
import { onAbort } from '../values/aborts.js';
import { fail } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import { LiveSound } from './speech/live_sound.js';
import type { TranscribeOptions } from './speech/options.js';
import { speechSettings } from './speech/settings.js';
import type { Segment, Transcription } from './speech/transcription.js';
import type { Word } from './speech/words.js';
import { transcribe } from './transcribe.js';

/** A MediaStream, as of a microphone; or samples block by block, at 16000 Hz or the `sampleRate` of the options. */
export type SoundStream = MediaStreamLike | AsyncIterable<Float32Array>;

/** Those of `transcribe`, without what belongs to a recording as a whole. */
export interface CaptionOptions extends Omit<TranscribeOptions, 'timestamps' | 'onSegment' | 'onProgress'> {
  /** Of blocks of samples. Default: 16000. */
  sampleRate?: number;
  /** Seconds between a word and the present from which on it does not change any more. Default: 2. */
  settledAfter?: number;
}

/** What has been heard so far. */
export interface Captions {
  /** All words, those that may still change among them. */
  text: string;
  /** Words that do not change any more; the same list each time, which grows. */
  words: readonly Word[];
  /** Words that may still change. */
  open: readonly Word[];
  /** The language of the newest window. */
  language: string | null;
  /** Seconds that have been heard. */
  seconds: number;
}

/** A window is written down again once it has this much more sound. */
const leastNew = 0.5;

/**
 * Yields what has been heard each time that a window was written down, and ends with the sound.
 *
 * @throws TransformerError like {@link transcribe}; what the sound throws.
 */
export async function* captions(
  model: Loaded,
  given: SoundStream,
  { sampleRate = 16000, settledAfter = 2, ...options }: CaptionOptions,
): AsyncGenerator<Captions, void, void> {
  for (const [name, value] of Object.entries({ sampleRate, settledAfter }))
    if (!(Number.isFinite(value) && value > 0))
      fail('invalid_argument', `${name} must be a number above 0, got ${describe(value)}`);
  const { frames } = speechSettings(model).window;
  const { signal } = options;
  signal?.throwIfAborted();
  const { blocks, sampleRate: rate } = await open(given, sampleRate);
  // A frame of the features is a hundredth of a second.
  const window = new Window(Math.floor((frames * rate) / 100), rate);
  const sound = new LiveSound(endingWith(signal, blocks), window.capacity);
  try {
    for (let isOver = false; !isOver; ) {
      isOver = await window.fill(sound);
      signal?.throwIfAborted();
      if (window.length === 0) break;
      const recording = { samples: window.samples, sampleRate: rate };
      const heard = await transcribe(model, recording, { ...options, timestamps: 'words' });
      yield window.write(heard, { isOver, settledAfter });
    }
  } finally {
    await sound.close();
  }
}

function open(given: SoundStream, sampleRate: number): StreamedSound | Promise<StreamedSound> {
  if (typeof given === 'object' && given !== null) {
    if (Symbol.asyncIterator in given) return { sampleRate, blocks: given };
    if ('getAudioTracks' in given) return openMediaStream(given, sampleRate);
  }
  return fail(
    'invalid_argument',
    `the sound must be a MediaStream or an async iterable of Float32Arrays, got ${describe(given)}`,
  );
}

/** The blocks, which an abort ends even where none comes any more. */
async function* endingWith(
  signal: AbortSignal | undefined,
  blocks: AsyncIterable<Float32Array>,
): AsyncGenerator<Float32Array> {
  const iterator = blocks[Symbol.asyncIterator]();
  let ignore = () => {};
  const stopped = new Promise<{ done: true; value: undefined }>((resolve) => {
    ignore = onAbort(signal, () => resolve({ done: true, value: undefined }));
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), stopped]);
      if (done) return;
      yield value;
    }
  } finally {
    ignore();
    // One that waits for sound would never return.
    if (signal?.aborted) void iterator.return?.();
    else await iterator.return?.();
  }
}

/** The sound that is not settled yet, and the words of all before it. */
class Window {
  readonly capacity: number;
  readonly #rate: number;
  readonly #sound: Float32Array;
  readonly #words: Word[] = [];
  /** Samples that have left the window. */
  #begin = 0;
  length = 0;

  constructor(capacity: number, rate: number) {
    this.capacity = capacity;
    this.#rate = rate;
    this.#sound = new Float32Array(capacity);
  }

  get samples(): Float32Array {
    return this.#sound.slice(0, this.length);
  }

  /** Until there is something new to hear; `true` at the end of the sound. */
  async fill(sound: LiveSound): Promise<boolean> {
    const least = Math.min(this.capacity, this.length + Math.ceil(leastNew * this.#rate));
    while (this.length < least) {
      const taken = await sound.take(this.capacity - this.length);
      if (taken.length === 0) return true;
      this.#sound.set(taken, this.length);
      this.length += taken.length;
    }
    return false;
  }

  /** Keeps what is settled of the window's text, and drops its sound. */
  write(
    { segments, language }: Transcription,
    { isOver, settledAfter }: { isOver: boolean; settledAfter: number },
  ): Captions {
    const settled = segments.filter(({ end }) => end < this.length / this.#rate - settledAfter);
    const isFull = this.length === this.capacity;
    // Without a segment that has ended, a full window is kept as it is: the next one begins after it.
    const isWhole = isOver || (isFull && settled.length === 0);
    const kept = isWhole ? segments : settled;
    const end = settled.at(-1)?.end ?? 0;
    const dropped = isWhole ? this.length : Math.min(this.length, Math.round(end * this.#rate));
    this.#words.push(...this.#later(kept));
    const open = this.#later(segments.slice(kept.length));
    this.#begin += dropped;
    this.#sound.copyWithin(0, dropped, this.length);
    this.length -= dropped;
    const text = [...this.#words, ...open].map((word) => word.text).join('');
    const seconds = (this.#begin + this.length) / this.#rate;
    return { text, words: this.#words, open, language, seconds };
  }

  /** The words of segments, with times from the beginning of the sound. */
  #later(segments: readonly Segment[]): Word[] {
    const start = this.#begin / this.#rate;
    return segments
      .flatMap(({ words = [] }) => words)
      .map(({ text, start: from, end }) => ({ text, start: start + from, end: start + end }));
  }
}
