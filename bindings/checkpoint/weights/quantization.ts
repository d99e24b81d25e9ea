/**
 * 8-bit weights in the convention of the compressed-tensors format ("int-quantized"): a matrix `X.weight` is stored as
 * I8 integers, together with `X.weight_scale`, one factor per output channel, [out, 1]; the weight is q * scale. A
 * matrix stored as [in, out], as in GPT-2, has scales [1, out]. config.json declares the format under
 * `quantization_config`.
 */

import { fail } from '../../engine/errors.js';
import { Fields } from '../json/fields.js';
import { isJsonObject, type JsonObject } from '../json/json_object.js';
import { showJson } from '../json/show_json.js';

/** The name of a matrix's scales. */
export const scaleName = (matrix: string) => `${matrix}_scale`;

const place = 'config.json: quantization_config';

/**
 * Whether config.json declares 8-bit weights.
 *
 * @throws TransformerError `unsupported` for any other quantisation, naming it.
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

/** Checks one group of layers. Quantised activations are ignored: the engine decides how it computes. */
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
    fail('unsupported', `${name}: input_activations with a static range are not supported`);
}

/**
 * The `quantization_config` for 8-bit weights.
 *
 * @param targets classes of quantised modules
 * @param ignore modules of these classes that are not quantised
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
  if (isJsonObject(object)) return object;
  return fail('bad_checkpoint', `${name} must be an object, got ${showJson(value)}`);
}

function refuse(what: unknown): never {
  const name = typeof what === 'string' ? what : showJson(what);
  fail('unsupported', `${place}: ${name} is not supported; supported is compressed-tensors, "int-quantized"`);
}
