/** Sound that is read in parts, so that hours of it need not be in memory at once. */

export interface Sound {
  /** In Hz. */
  readonly sampleRate: number;
  /** The number of samples of each channel. */
  readonly length: number;
  /** The samples of each channel that its file says it has, but ends before. */
  readonly missing?: number;
  /** The samples [begin, end), which are within the sound: the mean of all channels, in [-1, 1]. */
  read(begin: number, end: number): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Samples at hand, which are not copied. */
export function soundOfSamples(channels: readonly Float32Array[], sampleRate: number): Sound {
  return {
    sampleRate,
    length: channels[0]?.length ?? 0,
    read: async (begin, end) => mixed(channels.map((samples) => samples.subarray(begin, end))),
    close: async () => undefined,
  };
}

/** The mean of channels; of one, the same samples. */
export function mixed(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(), ...others] = channels;
  if (others.length === 0) return first.slice();
  const mean = first.map((sample) => sample / channels.length);
  for (const samples of others)
    for (const [i, sample] of samples.entries()) mean[i] = (mean[i] ?? 0) + sample / channels.length;
  return mean;
}
