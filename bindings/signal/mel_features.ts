/** The log-mel features of a recording, as Whisper's feature extractor computes them. */

import { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import type { TensorData } from '../values/tensor.js';
import type { LogMel } from './embind.js';
import { guarded, type SignalModule } from './module.js';
import type { Recording } from './recording.js';

interface MelConfig {
  readonly bands: number;
  /** In Hz. */
  readonly sampleRate: number;
  /** Samples of a window, and between two of them. */
  readonly window: number;
  readonly hop: number;
  /** Whether samples are shifted and scaled to a mean of 0 and a variance of 1 first. */
  readonly normalizes: boolean;
}

/** Half a second at 16000 Hz; the models take 0.025. A window of silence is computed even for a short recording. */
const maxWindow = 8192;

/**
 * @param json preprocessor_config.json, where there is one
 * @param bands what the model takes
 */
export function readMelConfig(json: JsonObject | null, bands: number): MelConfig {
  const file = 'preprocessor_config.json';
  const fields = new Fields(json ?? {}, file);
  const samples = (name: string, usual: number) => {
    const count = fields.count(name, usual);
    return count <= maxWindow
      ? count
      : fail('bad_checkpoint', `${file}: ${name} must be at most ${maxWindow} samples, got ${count}`);
  };
  return {
    bands: fields.count('feature_size', bands),
    sampleRate: fields.count('sampling_rate', 16000),
    window: samples('n_fft', 400),
    hop: samples('hop_length', 160),
    normalizes: fields.flag('do_normalize', false),
  };
}

/** Frames that are computed at once: a second of sound takes a few milliseconds. */
const slice = 100;

export class MelFeatures {
  readonly #module: SignalModule;
  readonly #recording: Recording;
  readonly #config: MelConfig;
  readonly #mel: LogMel;
  readonly #length: number;
  #maximum = Number.NEGATIVE_INFINITY;
  #mean = 0;
  #scale = 1;

  /**
   * @param length the number of samples; silence follows the recording if it is shorter
   * @throws TransformerError `invalid_argument` for sizes that make no features.
   */
  constructor(module: SignalModule, recording: Recording, config: MelConfig & { readonly length: number }) {
    const { normalizes: _, length, ...sizes } = config;
    this.#module = module;
    this.#recording = recording;
    this.#config = config;
    this.#length = length;
    this.#mel = guarded(() => new module.LogMel(sizes));
  }

  get frames(): number {
    return Math.floor(this.#length / this.#config.hop);
  }

  /**
   * Finds the loudest feature, to which all others are relative. Yields between slices, so that the caller can let
   * others work, with the share that is done.
   *
   * @throws TransformerError `invalid_argument` for samples that are not finite.
   */
  async *measure(): AsyncGenerator<number, void, void> {
    if (this.#config.normalizes) yield* this.#normalize();
    for (let first = 0; first < this.frames; first += slice) {
      const { data } = await this.#raw(first, Math.min(slice, this.frames - first));
      for (const value of data) if (value > this.#maximum) this.#maximum = value;
      yield first / this.frames;
    }
  }

  /** Features [bands, count] from a frame on; 0 after the last frame. Call it once {@link measure} is through. */
  async window(first: number, count: number): Promise<TensorData> {
    const { bands } = this.#config;
    const features = new Float32Array(bands * count);
    const available = Math.min(count, this.frames - first);
    if (available > 0) {
      const raw = await this.#raw(first, available);
      const frames = guarded(() => this.#module.clampLogMel(raw, this.#maximum));
      for (let frame = 0; frame < available; frame++)
        for (let band = 0; band < bands; band++)
          features[band * count + frame] = frames.data[frame * bands + band] ?? 0;
    }
    return { data: features, shape: [bands, count] };
  }

  close(): void {
    this.#mel.delete();
  }

  /** log10 of the power, [frames, bands] */
  async #raw(first: number, count: number): Promise<TensorData> {
    const { hop, window } = this.#config;
    const half = window / 2;
    // The mirror images at both ends reach as far into the recording as the windows reach out of it.
    const begin = Math.max(0, Math.min(first * hop - half, this.#length - window));
    const end = Math.min(this.#length, Math.max((first + count) * hop + half, window));
    const samples = await this.#samples(begin, end);
    return guarded(() => this.#mel.forward({ samples, begin }, { first, count, length: this.#length }));
  }

  async #samples(begin: number, end: number): Promise<Float32Array> {
    const samples = await this.#recording.read(begin, end);
    if (!this.#config.normalizes) return samples;
    const real = Math.min(samples.length, this.#recording.length - begin);
    for (let i = 0; i < real; i++) samples[i] = ((samples[i] ?? 0) - this.#mean) * this.#scale;
    return samples;
  }

  async *#normalize(): AsyncGenerator<number, void, void> {
    const { length } = this.#recording;
    const step = slice * this.#config.hop;
    let [sum, squares] = [0, 0];
    for (let begin = 0; begin < length; begin += step) {
      for (const sample of await this.#recording.read(begin, Math.min(begin + step, length))) {
        sum += sample;
        squares += sample * sample;
      }
      yield 0;
    }
    this.#mean = sum / length;
    this.#scale = 1 / Math.sqrt(Math.max(0, squares / length - this.#mean ** 2) + 1e-7);
  }
}
