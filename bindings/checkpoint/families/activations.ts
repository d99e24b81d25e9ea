/** Activation functions, by the names that configs have for them. */

import type { EngineActivation } from '../../engine/engine_config.js';
import { fail } from '../../engine/errors.js';
import type { Fields } from '../json/fields.js';

const activations: Readonly<Record<string, EngineActivation>> = {
  gelu: 'gelu',
  gelu_new: 'gelu_tanh',
  gelu_fast: 'gelu_tanh',
  gelu_pytorch_tanh: 'gelu_tanh',
  bloom_gelu: 'gelu_tanh',
  quick_gelu: 'quick_gelu',
  relu: 'relu',
  relu2: 'relu2',
  relu6: 'relu6',
  silu: 'silu',
  swish: 'silu',
  mish: 'mish',
  sigmoid: 'sigmoid',
  tanh: 'tanh',
  linear: 'none',
};

/** @throws TransformerError `unsupported` naming the field and what it holds. */
export function readActivation(fields: Fields, name: string): EngineActivation {
  return activationOf(fields.text(name), name);
}

export function activationOf(value: string, name: string): EngineActivation {
  const activation = Object.hasOwn(activations, value) ? activations[value] : undefined;
  return activation ?? fail('unsupported', `config.json: the ${name} '${value}' is not supported`);
}
