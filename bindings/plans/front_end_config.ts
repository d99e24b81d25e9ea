/** The front end of an encoder that takes no tokens: turns other input into vectors [batch, time, dModel]. */

/** A linear layer of the front end; its weights are the engine's `front.<name>.weight` and `.bias`. */
export interface FrontLinear {
  readonly name: string;
  readonly inFeatures: number;
  readonly outFeatures: number;
  readonly bias: boolean;
  readonly activation: 'none' | 'gelu' | 'tanh';
}

/** Learned numbers of the front end, the engine's `front.<name>`. */
export interface FrontTable {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Learned vectors before the patches: the table of that name. */
export interface PrefixVectors {
  readonly name: string;
  readonly count: number;
}

/** How the learned positions of a grid become those of another one. */
export interface Resizing {
  /** Of Keys' cubic kernel; `null`: the kernel is linear. */
  readonly cubic: number | null;
  /** Whether the kernel is widened where the grid shrinks. */
  readonly antialias: boolean;
}

/** Learned positions of a grid of patches, the table `positions`, which are resized to that of a picture. */
export interface GridPositions extends Resizing {
  readonly rows: number;
  readonly columns: number;
  /** How many vectors of the prefix have positions too, before those of the grid. */
  readonly ofPrefix: number;
}

/** An image [channels, height, width], cut into square patches, with learned vectors in front. */
export interface PatchesConfig {
  readonly input: 'pixelValues';
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly patch: number;
  readonly dModel: number;
  readonly prefix: readonly PrefixVectors[];
  /** Of the patches' linear layer; default: true. */
  readonly bias?: boolean;
  /** Default: the model has other positions. */
  readonly positions?: GridPositions;
  /**
   * Which pictures: `fixed`, those of the size above; `any`, those of at least a patch; `patches`, any, as patches [batch,
   * patches, patch * patch * channels] with their grids. Default: `fixed`.
   */
  readonly sizes?: 'fixed' | 'any' | 'patches';
}

/** A convolution over time, the linear layer of that name on its windows. */
export interface Convolution {
  readonly name: string;
  readonly inWidth: number;
  readonly outWidth: number;
  /** In frames. */
  readonly window: number;
  readonly stride: number;
  /** Frames of zeros at both ends. */
  readonly padding: number;
  readonly bias: boolean;
  readonly activation: FrontLinear['activation'];
  /** Whether all numbers of a sequence are normalised afterwards, with the tables `norm.weight` and `norm.bias`. */
  readonly isNormed?: boolean;
}

/** Mel features [bands, frames], passed through convolutions. */
export interface SoundConfig {
  readonly input: 'inputFeatures';
  readonly bands: number;
  readonly frames: number;
  readonly dModel: number;
  readonly convolutions: readonly Convolution[];
}

/** Samples [time] of sound, at 16000 Hz, likewise. */
export interface WaveConfig {
  readonly input: 'inputValues';
  readonly dModel: number;
  readonly convolutions: readonly Convolution[];
}

export type FrontEndConfig = PatchesConfig | SoundConfig | WaveConfig;

/** The number of vectors before the patches. */
export const prefixOf = ({ prefix }: PatchesConfig) => prefix.reduce((sum, { count }) => sum + count, 0);

/** The layers of a front end. */
export function frontLinears(config: FrontEndConfig): FrontLinear[] {
  if (config.input !== 'pixelValues')
    return config.convolutions.map(({ name, inWidth, outWidth, window, bias, activation }) => ({
      name,
      inFeatures: inWidth * window,
      outFeatures: outWidth,
      bias,
      activation,
    }));
  const { channels, patch, dModel, bias = true } = config;
  const inFeatures = channels * patch ** 2;
  return [{ name: 'patches', inFeatures, outFeatures: dModel, bias, activation: 'none' }];
}

/** The learned numbers that the front end itself computes with. */
export function frontTables(config: FrontEndConfig): FrontTable[] {
  if (config.input !== 'pixelValues')
    return config.convolutions
      .filter(({ isNormed }) => isNormed)
      .flatMap(({ outWidth }) => ['norm.weight', 'norm.bias'].map((name) => ({ name, shape: [outWidth] })));
  const { prefix, positions, dModel } = config;
  const vectors = prefix.map(({ name, count }) => ({ name, shape: [count, dModel] }));
  if (!positions) return vectors;
  const { rows, columns, ofPrefix } = positions;
  return [...vectors, { name: 'positions', shape: [ofPrefix + rows * columns, dModel] }];
}
