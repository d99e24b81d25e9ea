/** What an encoder reads in place of token ids: sound or pictures, which the engine's front end turns into vectors. */

import type { ConvolutionConfig, GridPositionsConfig, PrefixVectors } from '../modules/embind.js';
import type { TensorData } from '../values/tensor.js';
import type { Plan } from './family.js';

/** Pictures, cut into square patches, with learned vectors in front. */
export interface PatchesConfig {
  channels: number;
  /** Of the pictures that the model was trained with. */
  height: number;
  width: number;
  patch: number;
  prefix: PrefixVectors[];
  /** Default: true. */
  bias?: boolean;
  /** Default: the model has other positions. */
  positions?: Partial<GridPositionsConfig>;
  /**
   * Which pictures: `fixed`, those of the size above; `any`, those of at least a patch; `patches`, any, as patches
   * [batch, patches, patch * patch * channels] with their grids. Default: `fixed`.
   */
  sizes?: 'fixed' | 'any' | 'patches';
}

/** Sound through convolutions over time: features [bands, frames], or samples where `bands` is 0. */
export interface FramesConfig {
  bands: number;
  frames: number;
  convolutions: Convolution[];
}

type Convolution = Pick<ConvolutionConfig, 'name' | 'outWidth' | 'window' | 'stride'> &
  Partial<ConvolutionConfig>;

/** Sound or pictures on their way to the engine. */
export interface Media {
  readonly values: TensorData;
  /** Of samples or patches, 0 for padding. */
  readonly mask?: TensorData;
  /** Rows and columns of patches of each picture, where the caller cut them. */
  readonly grids?: Int32Array;
}

export type Front =
  | { readonly input: 'pixelValues'; readonly patches: PatchesConfig }
  | { readonly input: 'inputFeatures' | 'inputValues'; readonly frames: FramesConfig };

/** The front end of a model; `null`: it takes token ids, or vectors. */
export function frontOf({ model }: Pick<Plan, 'model'>): Front | null {
  const front = 'recurrent' in model ? undefined : model.front;
  if (front && 'patches' in front) return { input: 'pixelValues', patches: front.patches as PatchesConfig };
  if (!front || !('frames' in front)) return null;
  const frames = front.frames as FramesConfig;
  return { input: frames.bands > 0 ? 'inputFeatures' : 'inputValues', frames };
}

/** The same, or that of the encoder of pictures beside one of texts. */
export const anyFrontOf = (plan: Pick<Plan, 'model' | 'tower'>): Front | null =>
  frontOf(plan) ?? (plan.tower ? frontOf(plan.tower) : null);

/** The number of vectors before the patches. */
export const prefixOf = ({ prefix }: PatchesConfig) => prefix.reduce((sum, { count }) => sum + count, 0);

/** The fewest samples that make a frame. */
export const leastSamples = ({ convolutions }: FramesConfig): number =>
  convolutions.reduceRight(
    (frames, { window, stride, padding = 0 }) => (frames - 1) * stride + window - 2 * padding,
    1,
  );

/** The number of vectors that the front end makes of an input of this shape. */
export function lengthOf(front: Front, shape: readonly number[]): number {
  if (front.input === 'pixelValues') {
    const { patch } = front.patches;
    const [height = 0, width = 0] = shape.slice(-2);
    return prefixOf(front.patches) + Math.floor(height / patch) * Math.floor(width / patch);
  }
  return front.frames.convolutions.reduce(
    (time, { window, stride, padding = 0 }) => Math.floor((time + 2 * padding - window) / stride) + 1,
    shape.at(-1) ?? 0,
  );
}
