/** What a MediaStream carries, as blocks of samples: recorded in the browser's audio thread. */

import { fail, messageOf } from '../values/errors.js';

/** A browser's MediaStream, of which only this is known where there are no types of a page. */
export interface MediaStreamLike {
  getAudioTracks(): unknown[];
}

/** A recording in progress. */
export interface StreamedSound {
  readonly sampleRate: number;
  readonly blocks: AsyncIterable<Float32Array>;
}

/** Runs in the audio thread, and passes on an eighth of a second at a time. Its 128 samples a call divide the block. */
const recorder = `registerProcessor('transformer-wasm-recorder', class extends AudioWorkletProcessor {
  block = new Float32Array(2048);
  filled = 0;
  process([[channel]]) {
    if (!channel) return true;
    this.block.set(channel, this.filled);
    this.filled += channel.length;
    if (this.filled === this.block.length) {
      this.port.postMessage(this.block, [this.block.buffer]);
      this.block = new Float32Array(2048);
      this.filled = 0;
    }
    return true;
  }
});`;

/** Of what nobody has taken yet, the newest this many seconds are kept: who falls behind does not fall further. */
const keptSeconds = 60;

/**
 * @param preferredRate is what the context resamples to where the browser can
 * @throws TransformerError `invalid_argument` for a stream without sound, `unsupported` outside of pages
 */
export async function openMediaStream(
  stream: MediaStreamLike,
  preferredRate: number,
): Promise<StreamedSound> {
  if (typeof AudioWorkletNode === 'undefined')
    fail('unsupported', 'a MediaStream can be heard only in a page with a secure context (AudioWorklet)');
  const [track] = (stream as MediaStream).getAudioTracks();
  if (!track) fail('invalid_argument', 'the MediaStream has no track with sound');
  const context = openContext(stream as MediaStream, preferredRate);
  try {
    await addRecorder(context.audio);
    await context.audio.resume();
  } catch (error) {
    await context.audio.close();
    throw error;
  }
  return { sampleRate: context.audio.sampleRate, blocks: blocksOf(context, track) };
}

interface OpenContext {
  readonly audio: AudioContext;
  readonly source: MediaStreamAudioSourceNode;
}

/** Some browsers do not resample what comes from a stream: there, the stream's own rate is used. */
function openContext(stream: MediaStream, sampleRate: number): OpenContext {
  const resampling = new AudioContext({ sampleRate });
  try {
    return { audio: resampling, source: resampling.createMediaStreamSource(stream) };
  } catch {
    void resampling.close();
    const audio = new AudioContext();
    return { audio, source: audio.createMediaStreamSource(stream) };
  }
}

async function addRecorder({ audioWorklet }: AudioContext): Promise<void> {
  const url = URL.createObjectURL(new Blob([recorder], { type: 'text/javascript' }));
  try {
    await audioWorklet.addModule(url);
  } catch (error) {
    fail(
      'unsupported',
      `the recorder cannot start in the audio thread; a Content-Security-Policy must allow 'script-src blob:' (${messageOf(error)})`,
      error,
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Until the track ends, or nobody reads on. */
async function* blocksOf(
  { audio, source }: OpenContext,
  track: MediaStreamTrack,
): AsyncGenerator<Float32Array> {
  const node = new AudioWorkletNode(audio, 'transformer-wasm-recorder', { numberOfOutputs: 0 });
  const waiting: Float32Array[] = [];
  let isOver = track.readyState === 'ended';
  let tell = () => {};
  const end = () => {
    isOver = true;
    tell();
  };
  track.addEventListener('ended', end);
  node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => {
    waiting.push(data);
    if (waiting.length * data.length > keptSeconds * audio.sampleRate) waiting.shift();
    tell();
  };
  source.connect(node);
  try {
    for (;;) {
      const block = waiting.shift();
      if (block) yield block;
      else if (isOver) return;
      else
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
    }
  } finally {
    track.removeEventListener('ended', end);
    source.disconnect();
    node.port.close();
    await audio.close();
  }
}
