/** What stands in front of an encoder that takes no tokens: it makes vectors [batch, time, dModel] of other things. */

/** A linear layer of the front end; its weights are the engine's `front.<name>.weight` and `.bias`. */
export interface FrontLinear {
  readonly name: string;
  readonly inFeatures: number;
  readonly outFeatures: number;
  readonly bias: boolean;
  readonly activation: 'none' | 'gelu';
}

/** An image [channels, height, width], cut into square patches; a learned class vector stands before them. */
export interface PatchesConfig {
  readonly input: 'pixelValues';
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly patch: number;
  readonly dModel: number;
}

/** Sound as mel features [bands, frames], under two convolutions, of which the second halves the time. */
export interface SoundConfig {
  readonly input: 'inputFeatures';
  readonly bands: number;
  readonly frames: number;
  readonly dModel: number;
}

export type FrontEndConfig = PatchesConfig | SoundConfig;

/** Frames that each step of a convolution over time sees. */
export const window = 3;

/** The layers of a front end. */
export function frontLinears(config: FrontEndConfig): FrontLinear[] {
  const outFeatures = config.dModel;
  if (config.input === 'pixelValues') {
    const inFeatures = config.channels * config.patch ** 2;
    return [
      { name: 'patches', inFeatures, outFeatures, bias: true, activation: 'none' },
      // A vector is what a linear layer makes of the number 1.
      { name: 'class', inFeatures: 1, outFeatures, bias: false, activation: 'none' },
    ];
  }
  return [
    { name: 'conv1', inFeatures: config.bands * window, outFeatures, bias: true, activation: 'gelu' },
    { name: 'conv2', inFeatures: config.dModel * window, outFeatures, bias: true, activation: 'gelu' },
  ];
}
