/** Activation functions: the engine's names for them, and what config.json may call them besides. */

import type { FeedForwardConfig } from '../../engine/embind.js';
import { fail } from '../../engine/errors.js';
import type { Fields } from '../json/fields.js';

/** By name; the documentation of the API spells them out. @inline */
export type Activation = FeedForwardConfig['activation'];

/** All of the engine's: a new one is a type error until it stands here. */
export const activations: Readonly<Record<Activation, true>> = {
  none: true,
  relu: true,
  relu2: true,
  relu6: true,
  gelu: true,
  gelu_tanh: true,
  quick_gelu: true,
  silu: true,
  mish: true,
  sigmoid: true,
  tanh: true,
};

/** Hugging Face's other names. */
const aliases: Readonly<Record<string, Activation>> = {
  gelu_new: 'gelu_tanh',
  gelu_fast: 'gelu_tanh',
  gelu_pytorch_tanh: 'gelu_tanh',
  bloom_gelu: 'gelu_tanh',
  swish: 'silu',
  linear: 'none',
};

const isActivation = (name: string): name is Activation => Object.hasOwn(activations, name);

export const activationNames: readonly Activation[] = Object.keys(activations).filter(isActivation);

/** @throws TransformerError `unsupported` naming the field and what it holds. */
export function readActivation(fields: Fields, name: string): Activation {
  return activationOf(fields.text(name), name);
}

export function activationOf(value: string, name: string): Activation {
  if (isActivation(value)) return value;
  const activation = Object.hasOwn(aliases, value) ? aliases[value] : undefined;
  return activation ?? fail('unsupported', `config.json: the ${name} '${value}' is not supported`);
}
