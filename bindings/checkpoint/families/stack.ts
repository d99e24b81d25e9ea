/** An encoder or a decoder as the engine describes it. Fields that are missing have the engine's own defaults. */

import type { LayerConfig, StackConfig } from '../../engine/embind.js';
import type { Activation } from './activations.js';

export type StackName = 'encoder' | 'decoder';

export type Stack = Partial<StackConfig>;

/** The numbers that every config.json has, by whatever names. */
export interface StackSizes {
  readonly numLayers: number;
  readonly dModel: number;
  readonly numHeads: number;
  readonly dFf: number;
  readonly activation: Activation;
  /** Of the norms. */
  readonly eps?: number;
}

/** A stack of the paper's layers: norms after each block, biases everywhere, no positions. */
export function stackOf({ numLayers, dModel, numHeads, dFf, activation, eps }: StackSizes): Stack {
  return {
    numLayers,
    layer: {
      dModel,
      attention: { numHeads },
      feedForward: { dFf, activation },
      ...(eps !== undefined && { norm: { eps } }),
    },
  };
}

/** The stack with layers that differ in these fields. */
export function withLayer({ layer, ...stack }: Stack, own: Partial<LayerConfig>): Stack {
  return {
    ...stack,
    layer: {
      ...layer,
      ...own,
      attention: { ...layer?.attention, ...own.attention },
      feedForward: { ...layer?.feedForward, ...own.feedForward },
      norm: { ...layer?.norm, ...own.norm },
    },
  };
}

/** The stack with its norms before each block, and one more at its end (Xiong et al. 2020). */
export const preNorm = (stack: Stack): Stack => withLayer({ ...stack, norm: true }, { normPlace: 'pre' });
