/**
 * 8-bit weights in the compressed-tensors format ("int-quantized"): a matrix `X.weight` of integers (dtype I8), and
 * beside it `X.weight_scale` with a factor for each output channel, [out, 1]; the weight is q * scale. The scales of a
 * matrix that is stored as [in, out], as GPT-2's are, are [1, out]. config.json describes this in
 * `quantization_config`.
 */

import { fail } from '../../engine/errors.js';
import { Fields } from '../json/fields.js';
import type { JsonObject } from '../json/json_object.js';
import { showJson } from '../json/show_json.js';

/** The name of a matrix's scales. */
export const scaleName = (matrix: string) => `${matrix}_scale`;

const place = 'config.json: quantization_config';

/**
 * Whether config.json says that the weights have 8 bits.
 *
 * @throws TransformerError `unsupported` naming any other kind of quantisation.
 */
export function isQuantized({ quantization_config: given }: JsonObject): boolean {
  const config = objectOf(given, place);
  if (Object.keys(config).length === 0) return false;
  const { quant_method: method, format } = config;
  if (method !== 'compressed-tensors') refuse(method === undefined ? config : method);
  if (format !== 'int-quantized') refuse(`${method}, ${showJson(format ?? null)}`);
  const fields = new Fields(config, place);
  fields.only('kv_cache_scheme', null);
  for (const name of ['sparsity_config', 'transform_config']) {
    const { format: kind = 'dense' } = objectOf(config[name], `${place}: ${name}`);
    const isNothing = Object.keys(objectOf(config[name], name)).length === 0;
    if (!isNothing && (name === 'transform_config' || kind !== 'dense')) refuse({ [name]: config[name] });
  }
  const groups = Object.entries(objectOf(config.config_groups, `${place}: config_groups`));
  if (groups.length === 0) fail('bad_checkpoint', `${place} has no config_groups`);
  for (const [name, group] of groups) checkGroup(objectOf(group, `${place}: ${name}`), `${place}: ${name}`);
  return true;
}

/** Checks one group of layers. How activations are quantised on the fly is the engine's own affair. */
function checkGroup(group: JsonObject, name: string): void {
  const fields = new Fields(group, name);
  fields.only('format', 'int-quantized');
  fields.only('output_activations', null);
  const weights = new Fields(objectOf(group.weights, `${name}: weights`), `${name}: weights`);
  weights.only('num_bits', 8);
  weights.only('type', 'int');
  weights.only('symmetric', true);
  weights.only('dynamic', false);
  if (weights.raw('strategy') !== 'tensor') weights.only('strategy', 'channel');
  const activations = group.input_activations ?? null;
  if (activations === null) return;
  const { dynamic } = objectOf(activations, `${name}: input_activations`);
  if (dynamic !== true)
    fail('unsupported', `${name}: input_activations with a fixed range are not supported`);
}

/**
 * What config.json says about 8-bit weights.
 *
 * @param targets classes of modules that are quantised
 * @param ignore modules of these classes that are not
 */
export function compressedTensors(targets: readonly string[], ignore: readonly string[]): JsonObject {
  const integers = { num_bits: 8, type: 'int', symmetric: true };
  return {
    quant_method: 'compressed-tensors',
    format: 'int-quantized',
    quantization_status: 'compressed',
    config_groups: {
      group_0: {
        targets,
        weights: { ...integers, strategy: 'channel', dynamic: false },
        input_activations: { ...integers, strategy: 'token', dynamic: true },
        output_activations: null,
      },
    },
    ignore,
    kv_cache_scheme: null,
  };
}

function objectOf(value: unknown, name: string): JsonObject {
  const object = value ?? {};
  if (typeof object === 'object' && !Array.isArray(object)) return object as JsonObject;
  return fail('bad_checkpoint', `${name} must be an object, got ${showJson(value)}`);
}

function refuse(what: unknown): never {
  const name = typeof what === 'string' ? what : showJson(what);
  fail('unsupported', `${place}: ${name} is not supported; known is compressed-tensors, "int-quantized"`);
}
