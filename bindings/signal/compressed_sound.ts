/**
 * Compressed sound, decoded while it is read: MP3, AAC, Opus, Vorbis and FLAC in their own files, in MP4, QuickTime,
 * WebM, Matroska and Ogg. mediabunny takes the files apart and the browser's AudioDecoder (WebCodecs) decodes, so that
 * hours of sound take no more memory than a moment.
 */

import type { SeekableFile } from '../files/folder.js';
import { fail } from '../values/errors.js';
import { AudioSampleSink, CustomSource, formats, Input } from './demuxers.js';
import { mixed, type Sound } from './sound.js';
import { readBytes } from './wav.js';

/** Samples of one channel that were decoded together. */
interface Block {
  /** The place of the first one in the sound. */
  readonly begin: number;
  readonly samples: Float32Array;
}

/** What is kept of the samples that were read, in seconds: the windows of speech models overlap. */
const kept = 60;
/** Times beyond this come from damaged files, in seconds. */
const longest = 7 * 24 * 3600;

/** @returns undefined if this is no such file, or none that is decoded here; it stays open then. */
export async function openCompressed(file: SeekableFile, signal?: AbortSignal): Promise<Sound | undefined> {
  const source = new CustomSource({
    getSize: () => file.size,
    async read(begin, end) {
      signal?.throwIfAborted();
      return readBytes(file, begin, end);
    },
    handleUnhandledError: () => undefined, // the read that it belongs to fails, too
  });
  const input = new Input({ source, formats });
  const found = await describeTrack(input).catch(() => undefined);
  if (!found || signal?.aborted) {
    input.dispose();
    signal?.throwIfAborted();
    return undefined;
  }
  const { sampleRate, seconds, blocks } = found;
  const reader = new BlockReader(blocks, kept * sampleRate);
  // Reads come one after the other, as the decoder's blocks do.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    sampleRate,
    length: Math.round(seconds * sampleRate),
    read(begin, end) {
      const read = turn.then(() => reader.read(begin, end)).catch((error) => notDecoded(error, signal));
      turn = read.catch(() => undefined);
      return read;
    },
    async close() {
      await turn;
      await reader.close();
      input.dispose();
      await file.close();
    },
  };
}

function notDecoded(error: unknown, signal: AbortSignal | undefined): never {
  signal?.throwIfAborted();
  return fail('invalid_argument', 'the audio file is damaged: the browser cannot decode all of it', error);
}

/** The first track of sound, if it can be decoded. */
async function describeTrack(input: Input) {
  const track = await input.getPrimaryAudioTrack();
  if (!track || !(await track.canDecode())) return undefined;
  const [sampleRate, seconds] = [await track.getSampleRate(), await track.computeDuration()];
  if (!(sampleRate > 0 && seconds >= 0 && seconds <= longest)) return undefined;
  const sink = new AudioSampleSink(track);
  async function* blocks(): AsyncGenerator<Block, void> {
    for await (const sample of sink.samples()) {
      try {
        const channels = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
          const samples = new Float32Array(sample.numberOfFrames);
          sample.copyTo(samples, { planeIndex, format: 'f32-planar' });
          return samples;
        });
        yield { begin: Math.round(sample.timestamp * sampleRate), samples: mixed(channels) };
      } finally {
        sample.close();
      }
    }
  }
  return { sampleRate, seconds, blocks };
}

/**
 * Any samples of a sound whose blocks come in order. Who goes back further than what is kept waits until all is decoded
 * again from the beginning: a decoder that starts in the middle gives other samples, and in Chromium's Opus other
 * places.
 */
class BlockReader {
  readonly #start: () => AsyncGenerator<Block, void>;
  /** In samples. */
  readonly #kept: number;
  #blocks: AsyncGenerator<Block, void> | undefined;
  #last: Block[] = [];

  constructor(start: () => AsyncGenerator<Block, void>, kept: number) {
    this.#start = start;
    this.#kept = kept;
  }

  /** The samples [begin, end); 0 where the file has none. */
  async read(begin: number, end: number): Promise<Float32Array> {
    if (!this.#blocks || begin < (this.#last[0]?.begin ?? 0)) {
      await this.close();
      this.#blocks = this.#start();
    }
    const samples = new Float32Array(end - begin);
    const take = ({ begin: first, samples: block }: Block) => {
      const [from, to] = [Math.max(begin - first, 0), Math.min(end - first, block.length)];
      if (from < to) samples.set(block.subarray(from, to), first + from - begin);
    };
    for (const block of this.#last) take(block);
    while (endOf(this.#last.at(-1)) < end) {
      const next = await this.#blocks.next();
      if (next.done) break;
      take(next.value);
      this.#last.push(next.value);
      const oldest = endOf(next.value) - this.#kept;
      // Down to one, which says where this is.
      while (this.#last.length > 1 && endOf(this.#last[0]) < oldest) this.#last.shift();
    }
    return samples;
  }

  async close(): Promise<void> {
    await this.#blocks?.return();
    this.#blocks = undefined;
    this.#last = [];
  }
}

const endOf = (block: Block | undefined) => (block ? block.begin + block.samples.length : 0);
