/**
 * Quantised weights in the convention of the compressed-tensors format ("int-quantized"): a matrix `X.weight` is stored
 * as I8 integers, together with `X.weight_scale`, one factor per output channel, [out, 1]; the weight is q * scale. A
 * matrix stored as [in, out], as in GPT-2, has scales [1, out]. Matrices in 4 bits ("pack-quantized") are described in
 * packed_layouts.ts. config.json declares the format under `quantization_config`.
 */

import { Fields } from '../files/fields.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { showJson } from '../files/show_json.js';
import { fail } from '../values/errors.js';

/** The name of a matrix's scales. */
export const scaleName = (matrix: string) => `${matrix}_scale`;

const place = 'config.json: quantization_config';

/** Whether config.json declares weights of 4 bits, which packed_files.ts reads, and whose details it checks. */
export function isPacked({ quantization_config: given }: JsonObject): boolean {
  const { quant_method: method, format } = objectOf(given, place);
  const isCompressed = method === 'compressed-tensors';
  return (
    method === 'gptq' ||
    method === 'awq' ||
    (isCompressed && /^(pack-quantized|mixed-precision)$/.test(`${format}`))
  );
}

/**
 * Whether config.json declares weights of 8 or 4 bits.
 *
 * @throws TransformerError `unsupported` for any other quantisation, naming it.
 */
export function isQuantized(given: JsonObject): boolean {
  if (isPacked(given)) return true;
  const config = objectOf(given.quantization_config, place);
  if (Object.keys(config).length === 0) return false;
  const { quant_method: method, format } = config;
  if (method !== 'compressed-tensors') refuse(method === undefined ? config : method);
  if (format !== 'int-quantized') refuse(`${method}, ${showJson(format ?? null)}`);
  for (const [name, group] of quantizationGroups(config)) checkIntegers(group, name);
  return true;
}

/**
 * The groups of layers of a compressed-tensors config, and their names for messages.
 *
 * @throws TransformerError `unsupported` for what applies to all groups and is not supported; `bad_checkpoint`
 */
export function quantizationGroups(config: JsonObject): (readonly [name: string, group: JsonObject])[] {
  const fields = new Fields(config, place);
  fields.only('kv_cache_scheme', null);
  for (const name of ['sparsity_config', 'transform_config']) {
    const { format: kind = 'dense' } = objectOf(config[name], `${place}: ${name}`);
    const isNothing = Object.keys(objectOf(config[name], name)).length === 0;
    if (!isNothing && (name === 'transform_config' || kind !== 'dense')) refuse({ [name]: config[name] });
  }
  const groups = Object.entries(objectOf(config.config_groups, `${place}: config_groups`));
  if (groups.length === 0) fail('bad_checkpoint', `${place} has no config_groups`);
  return groups.map(([name, group]) => [`${place}: ${name}`, objectOf(group, `${place}: ${name}`)]);
}

/** Checks a group of layers in 8 bits. Quantised activations are ignored: the engine decides how it computes. */
export function checkIntegers(group: JsonObject, name: string): void {
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

function objectOf(value: unknown, name: string): JsonObject {
  const object = value ?? {};
  if (isJsonObject(object)) return object;
  return fail('bad_checkpoint', `${name} must be an object, got ${showJson(value)}`);
}

function refuse(what: unknown): never {
  const name = typeof what === 'string' ? what : showJson(what);
  fail(
    'unsupported',
    `${place}: ${name} is not supported; supported are compressed-tensors ("int-quantized", "pack-quantized"), GPTQ and AWQ`,
  );
}
