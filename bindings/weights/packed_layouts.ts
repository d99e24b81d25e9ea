/**
 * The layouts of 4-bit weights that can be read: GPTQ's and AutoAWQ's, and compressed-tensors' "pack-quantized", in
 * which this package writes them. Each matrix is several tensors: integers of 4 bits, eight in a word of 32, with a
 * scale and perhaps a zero point for each group of inputs.
 *
 *   compressed-tensors   X_packed [out, in / 8], X_scale [out, groups], X_zero_point [out / 8, groups], X_g_idx [in],
 *                        X_shape [2]; for matrices stored as [in, out], as GPT-2's, X_packed [in / 8, out] and X_scale
 *                        [groups, out], which is our own
 *   GPTQ                 X.qweight [in / 8, out], X.scales [groups, out], X.qzeros [groups, out / 8], X.g_idx [in]
 *   AWQ                  X.qweight [in, out / 8], X.scales [groups, out], X.qzeros [groups, out / 8]; both interleaved
 */

import { Fields } from '../files/fields.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { checkIntegers, quantizationGroups } from './quantization.js';

const place = 'config.json: quantization_config';

/** The tensors of one matrix. */
export type Part = 'integers' | 'scales' | 'zeros' | 'order' | 'shape';

export interface Layout {
  /** How the name of each part ends; the first is that of the integers. */
  readonly endings: readonly (readonly [part: Part, ending: string])[];
  /** The ending of the name of the whole matrix. */
  readonly whole: string;
  /** Inputs that share a scale; `null`: all. */
  readonly groupSize: number | null;
  /** Whether the zero point is always 8. */
  readonly isSymmetric: boolean;
  /** Whether the inputs of a group may be apart: quantised in the order of their activations. */
  readonly isOrdered: boolean;
  readonly kind: 'compressed' | 'gptq' | 'gptq_v2' | 'awq';
}

const gptqEndings = [
  ['integers', 'qweight'],
  ['scales', 'scales'],
  ['zeros', 'qzeros'],
  ['order', 'g_idx'],
] as const;

/** @throws TransformerError `unsupported` for a layout that is not read, naming it; `bad_checkpoint` */
export function layoutOf({ quantization_config: given }: JsonObject): Layout {
  const config = isJsonObject(given) ? given : {};
  const fields = new Fields(config, place);
  const method = config.quant_method;
  if (method === 'compressed-tensors') return compressedLayout(config);
  fields.only('bits', 4);
  const groupSize = groupSizeOf(config.group_size, place);
  const isGptq = method === 'gptq';
  if (isGptq) {
    const format = config.checkpoint_format ?? 'gptq';
    if (format !== 'gptq_v2') fields.only('checkpoint_format', 'gptq');
    fields.only('is_marlin_format', false);
    const isSymmetric = config.sym === true;
    const isOrdered = config.desc_act === true;
    return {
      endings: gptqEndings,
      whole: 'weight',
      groupSize,
      isSymmetric,
      isOrdered,
      kind: format === 'gptq_v2' ? format : 'gptq',
    };
  }
  const version = config.version;
  if (version !== 'GEMM') fields.only('version', 'gemm');
  fields.only('zero_point', true);
  const endings = gptqEndings.slice(0, 3);
  return { endings, whole: 'weight', groupSize, isSymmetric: false, isOrdered: false, kind: 'awq' };
}

function compressedLayout(config: JsonObject): Layout {
  let groupSize: number | null = null;
  let isSymmetric = true;
  let isOrdered = false;
  const packed = new Set<string>();
  for (const [name, group] of quantizationGroups(config)) {
    const format = group.format ?? config.format;
    if (format !== 'pack-quantized') {
      checkIntegers(group, name);
      continue;
    }
    const weights = isJsonObject(group.weights) ? group.weights : {};
    const fields = new Fields(weights, `${name}: weights`);
    fields.only('num_bits', 4);
    fields.only('type', 'int');
    fields.only('dynamic', false);
    if (fields.raw('strategy') !== 'channel') {
      fields.only('strategy', 'group');
      groupSize = groupSizeOf(weights.group_size, `${name}: weights`);
    }
    isSymmetric = weights.symmetric !== false;
    isOrdered = (weights.actorder ?? false) !== false;
    packed.add(`${isSymmetric} ${isOrdered} ${groupSize}`);
  }
  if (packed.size > 1)
    fail('unsupported', `${place}: groups of layers with 4 bits in different forms are not supported`);
  const endings = (
    [
      ['integers', '_packed'],
      ['scales', '_scale'],
      ['zeros', '_zero_point'],
      ['order', '_g_idx'],
      ['shape', '_shape'],
    ] as const
  ).filter(([part]) => part !== 'zeros' || !isSymmetric);
  return { endings, whole: '', groupSize, isSymmetric, isOrdered, kind: 'compressed' };
}

function groupSizeOf(value: unknown, name: string): number | null {
  if (value === -1) return null;
  return new Fields({ group_size: value }, name).count('group_size', 128);
}
