/** The front end of an encoder that takes no tokens: turns other input into vectors [batch, time, dModel]. */

/** A linear layer of the front end; its weights are the engine's `front.<name>.weight` and `.bias`. */
export interface FrontLinear {
  readonly name: string;
  readonly inFeatures: number;
  readonly outFeatures: number;
  readonly bias: boolean;
  readonly activation: 'none' | 'gelu';
}

/** An image [channels, height, width], cut into square patches, with one or two learned vectors in front. */
export interface PatchesConfig {
  readonly input: 'pixelValues';
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly patch: number;
  readonly dModel: number;
  /** Whether a distillation token follows the class token. */
  readonly isDistilled: boolean;
}

/** Mel features [bands, frames], passed through two convolutions, the second of which halves the time axis. */
export interface SoundConfig {
  readonly input: 'inputFeatures';
  readonly bands: number;
  readonly frames: number;
  readonly dModel: number;
}

export type FrontEndConfig = PatchesConfig | SoundConfig;

/** Window of each convolution over time, in frames. */
export const window = 3;

/** The learned vectors before the patches. */
export const frontVectors = ({ isDistilled }: PatchesConfig) =>
  isDistilled ? ['class', 'distillation'] : ['class'];

/** The layers of a front end. */
export function frontLinears(config: FrontEndConfig): FrontLinear[] {
  const outFeatures = config.dModel;
  if (config.input === 'pixelValues') {
    const inFeatures = config.channels * config.patch ** 2;
    return [
      { name: 'patches', inFeatures, outFeatures, bias: true, activation: 'none' },
      // A linear layer applied to the number 1 yields a learned vector.
      ...frontVectors(config).map(
        (name) => ({ name, inFeatures: 1, outFeatures, bias: false, activation: 'none' }) as const,
      ),
    ];
  }
  return [
    { name: 'conv1', inFeatures: config.bands * window, outFeatures, bias: true, activation: 'gelu' },
    { name: 'conv2', inFeatures: config.dModel * window, outFeatures, bias: true, activation: 'gelu' },
  ];
}
