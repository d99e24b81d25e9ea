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

/** Where a config.json has the sizes of a stack, if not under the names that most have. */
export interface SizeKeys {
  readonly dModel?: string;
  readonly numHeads?: string;
  readonly numLayers?: string;
  /** A field that may be missing; without it, and with `null`, 4 dModel. */
  readonly dFf?: string | null;
  readonly activation?: string;
  readonly eps?: string;
  /** What the class itself fixes. */
  readonly fixed?: { readonly activation?: Activation; readonly eps?: number };
}

export function readSizes(fields: Fields, keys: SizeKeys = {}): StackSizes {
  const { fixed = {}, dFf } = keys;
  const dModel = fields.count(keys.dModel ?? 'hidden_size');
  const ownWidth = () => (dFf === null ? 4 * dModel : fields.count(dFf ?? '', 4 * dModel));
  return {
    dModel,
    numHeads: fields.count(keys.numHeads ?? 'num_attention_heads'),
    dFf: dFf === undefined ? fields.count('intermediate_size') : ownWidth(),
    numLayers: fields.count(keys.numLayers ?? 'num_hidden_layers'),
    activation: fixed.activation ?? readActivation(fields, keys.activation ?? 'hidden_act'),
    eps: fixed.eps ?? fields.number(keys.eps ?? 'layer_norm_eps'),
  };
}

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
