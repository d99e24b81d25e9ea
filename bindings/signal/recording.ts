/** A recording as one channel at the rate of a model, converted piece by piece: hours of sound stay as they are. */

import type { Resampler } from './embind.js';
import { guarded, type SignalModule } from './module.js';
import type { Sound } from './wav.js';

export class Recording {
  /** The number of samples at the model's rate. */
  readonly length: number;
  readonly #channels: readonly Float32Array[];
  readonly #resampler: Resampler | null;
  readonly #ratio: number;

  /** @throws TransformerError `invalid_argument` for an impossible sample rate. */
  constructor(module: SignalModule, { channels, sampleRate }: Sound, rate: number) {
    this.#channels = channels;
    this.#ratio = sampleRate / rate;
    this.#resampler = sampleRate === rate ? null : guarded(() => new module.Resampler(sampleRate, rate));
    const length = channels[0]?.length ?? 0;
    this.length = this.#resampler?.length(length) ?? length;
  }

  /** The samples [begin, end); 0 beyond the ends. */
  read(begin: number, end: number): Float32Array {
    const resampler = this.#resampler;
    if (!resampler) return this.#mixed(begin, end);
    const first = Math.floor(begin * this.#ratio) - resampler.reach();
    const last = Math.ceil(end * this.#ratio) + resampler.reach();
    const samples = this.#mixed(first, last + 1);
    return guarded(() => resampler.forward({ samples, begin: first }, begin, end - begin));
  }

  close(): void {
    this.#resampler?.delete();
  }

  /** The mean of all channels, at their own rate. */
  #mixed(begin: number, end: number): Float32Array {
    const mixed = new Float32Array(end - begin);
    for (const samples of this.#channels)
      for (let i = Math.max(0, -begin); i < mixed.length && begin + i < samples.length; i++)
        mixed[i] = (mixed[i] ?? 0) + (samples[begin + i] ?? 0) / this.#channels.length;
    return mixed;
  }
}
