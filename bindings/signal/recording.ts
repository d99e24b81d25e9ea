/** A recording as one channel at the rate of a model, converted piece by piece: hours of sound stay as they are. */

import type { Resampler } from './embind.js';
import { guarded, type SignalModule } from './module.js';
import type { Sound } from './sound.js';

export class Recording {
  /** The number of samples at the model's rate. */
  readonly length: number;
  /** Seconds that its file says it has, but ends before. */
  readonly missingSeconds: number;
  readonly #sound: Sound;
  readonly #resampler: Resampler | null;
  readonly #ratio: number;

  /** @throws TransformerError `invalid_argument` for an impossible sample rate. */
  constructor(module: SignalModule, sound: Sound, rate: number) {
    const { length, sampleRate } = sound;
    this.#sound = sound;
    this.#ratio = sampleRate / rate;
    this.missingSeconds = (sound.missing ?? 0) / sampleRate;
    this.#resampler = sampleRate === rate ? null : guarded(() => new module.Resampler(sampleRate, rate));
    this.length = this.#resampler?.length(length) ?? length;
  }

  /** The samples [begin, end); 0 beyond the ends. */
  async read(begin: number, end: number): Promise<Float32Array> {
    const resampler = this.#resampler;
    if (!resampler) return this.#padded(begin, end);
    const first = Math.floor(begin * this.#ratio) - resampler.reach();
    const last = Math.ceil(end * this.#ratio) + resampler.reach();
    const samples = await this.#padded(first, last + 1);
    return guarded(() => resampler.forward({ samples, begin: first }, begin, end - begin));
  }

  /** The sound stays open. */
  close(): void {
    this.#resampler?.delete();
  }

  /** At the sound's own rate. */
  async #padded(begin: number, end: number): Promise<Float32Array> {
    const { length } = this.#sound;
    const [from, to] = [Math.max(0, begin), Math.min(end, length)];
    const padded = new Float32Array(end - begin);
    if (from < to) padded.set(await this.#sound.read(from, to), from - begin);
    return padded;
  }
}
