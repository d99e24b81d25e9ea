/** Activation functions: the engine's names, and the aliases that config.json may use. */

import type { Fields } from '../files/fields.js';
import type { FeedForwardConfig } from '../modules/embind.js';
import { fail } from '../values/errors.js';

/** Names of the activation functions; the API documentation lists them. @inline */
export type Activation = FeedForwardConfig['activation'];

/** Every activation of the engine. A new one is a type error until it is listed here. */
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

/** Hugging Face's aliases. */
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

/** @throws TransformerError `unsupported`, naming the field and its value. */
export function readActivation(fields: Fields, name: string): Activation {
  return activationOf(fields.text(name), name);
}

export function activationOf(value: string, name: string): Activation {
  if (isActivation(value)) return value;
  const activation = Object.hasOwn(aliases, value) ? aliases[value] : undefined;
  return activation ?? fail('unsupported', `config.json: the ${name} '${value}' is not supported`);
}
