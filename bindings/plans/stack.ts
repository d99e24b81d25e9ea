/** An encoder or decoder as the engine describes it. Missing fields take the engine's defaults. */

import type { Fields } from '../files/fields.js';
import type { LayerConfig, StackConfig } from '../modules/embind.js';
import { type Activation, readActivation } from './activations.js';

export type StackName = 'encoder' | 'decoder';

export type Stack = Partial<StackConfig>;

/** Sizes that every config.json has, under whatever names. */
export interface StackSizes {
  readonly numLayers: number;
  readonly dModel: number;
  readonly numHeads: number;
  readonly dFf: number;
  readonly activation: Activation;
  /** Epsilon of the norms. */
  readonly eps?: number;
}

/** The sizes under the names that most config.json have today. */
export const readSizes = (fields: Fields): StackSizes => ({
  dModel: fields.count('hidden_size'),
  numHeads: fields.count('num_attention_heads'),
  dFf: fields.count('intermediate_size'),
  numLayers: fields.count('num_hidden_layers'),
  activation: readActivation(fields, 'hidden_act'),
  eps: fields.number('layer_norm_eps'),
});

/** A stack of the original layers: norms after each block, biases everywhere, no positions. */
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

/** The stack with some fields of its layers replaced. */
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

/** The stack with norms before each block and a final norm (Xiong et al. 2020). */
export const preNorm = (stack: Stack): Stack => withLayer({ ...stack, norm: true }, { normPlace: 'pre' });
