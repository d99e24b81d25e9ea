// Captions of what a microphone hears, word by word. Whisper hears whole windows, so the newest window is written down
// again and again: segments that end well before the present are kept, what follows may still change.

import { loadModel } from 'transformer-wasm';
import { RingBuffer } from './ring_buffer.js';

const sampleRate = 16000;
/** Seconds between a word and the present from which on it does not change any more. */
const settled = 2;

export class Captions {
  #model;
  #sound;
  /** Where the text begins that may still change: a place in the recording. */
  #from = 0;
  #isRunning = false;
  #resources = [];
  /** Words that are kept: { text, start, end }, with times in seconds of the recording. */
  words = [];
  onChange = () => {};

  constructor(model) {
    this.#model = model;
    // A step of the encoder is 0.02 seconds. Twice a window: a slow machine may lag behind.
    const seconds = model.config.max_source_positions * 0.02;
    this.windowLength = seconds * sampleRate;
    this.#sound = new RingBuffer(2 * this.windowLength);
  }

  static async load(source, options) {
    return new Captions(await loadModel(source, options));
  }

  /** Seconds that have been recorded. */
  get seconds() {
    return this.#sound.end / sampleRate;
  }

  /** The sound of the last seconds, and when it begins. */
  get latest() {
    return { samples: this.#sound.read(0), start: this.#sound.begin / sampleRate };
  }

  /** Asks for the microphone, and writes down what it hears until `stop` is called. Options are those of `transcribe`. */
  async start(options = {}) {
    this.#isRunning = true;
    try {
      await this.#listen();
      while (this.#isRunning) await this.#write(options);
    } finally {
      await this.stop();
    }
  }

  async stop() {
    this.#isRunning = false;
    for (const close of this.#resources.splice(0)) await close();
  }

  /** Records into the ring buffer. */
  async #listen() {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
    this.#resources.push(() => {
      for (const track of stream.getTracks()) track.stop();
    });
    // The browser resamples to what Whisper takes.
    const context = new AudioContext({ sampleRate });
    this.#resources.push(() => context.close());
    await context.audioWorklet.addModule(new URL('./recorder.js', import.meta.url));
    const recorder = new AudioWorkletNode(context, 'recorder', { numberOfOutputs: 0 });
    recorder.port.onmessage = ({ data }) => this.#sound.push(data);
    context.createMediaStreamSource(stream).connect(recorder);
  }

  /** Writes down one window. */
  async #write(options) {
    const from = Math.max(this.#from, this.#sound.begin);
    const samples = this.#sound.read(from, Math.min(this.#sound.end, from + this.windowLength));
    if (samples.length < sampleRate / 2) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return;
    }
    const heard = await this.#model.transcribe(samples, { ...options, timestamps: 'words' });
    const start = from / sampleRate;
    const later = ({ text, start: begin, end }) => ({ text, start: start + begin, end: start + end });
    const isFull = samples.length === this.windowLength;
    const done = heard.segments.filter(({ end }) => end < samples.length / sampleRate - settled);
    // Without a segment that has ended, a full window must be kept as it is: the next one begins after it.
    const kept = done.length > 0 ? done : isFull ? heard.segments : [];
    this.words.push(...kept.flatMap(({ words }) => words).map(later));
    const open = heard.segments.slice(kept.length).flatMap(({ words }) => words);
    if (done.length > 0) this.#from = from + Math.round(done.at(-1).end * sampleRate);
    else if (isFull) this.#from = from + samples.length;
    this.onChange({ words: this.words, open: open.map(later), language: heard.language });
  }
}
