/**
 * The layouts of 4-bit weights that are read: GPTQ's and AutoAWQ's, and compressed-tensors' "pack-quantized", in which
 * this package writes them. Each matrix is several tensors: integers of 4 bits, eight in a word of 32, with a scale and
 * perhaps a zero point for each group of inputs.
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
import { floatTypes, toFloats } from './floats.js';
import { inOrder, type PackedMatrix, type Words } from './packed_matrix.js';
import { checkIntegers, quantizationGroups } from './quantization.js';
import type { StoredTensor } from './stored_tensor.js';

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

/** A matrix whose tensors have been found and checked, before their numbers are read. */
export interface FoundMatrix {
  readonly name: string;
  /** Of the whole matrix, as it would be stored in floating point. */
  readonly shape: readonly [number, number];
  readonly parts: ReadonlyMap<Part, StoredTensor>;
  /** From the bytes of its parts. */
  read(bytes: (part: Part) => Uint8Array | null): PackedMatrix;
}

interface Finding {
  readonly layout: Layout;
  readonly parts: ReadonlyMap<Part, StoredTensor>;
  /** Whether the whole matrix is [in, out]; GPTQ and AWQ store its parts as those of any other. */
  readonly isInputsFirst: boolean;
  readonly file: string;
}

/** @throws TransformerError `bad_checkpoint` for parts that are missing or do not fit together. */
export function findMatrix(name: string, { layout, parts, isInputsFirst, file }: Finding): FoundMatrix {
  const { kind, groupSize, isSymmetric } = layout;
  const nameOf = (part: Part) => parts.get(part)?.name ?? `${name}: ${part}`;
  const wrong = (part: Part, what: string): never =>
    fail('bad_checkpoint', `${file}: the tensor '${nameOf(part)}' ${what}`);
  const required = (part: Part): StoredTensor =>
    parts.get(part) ?? fail('bad_checkpoint', `${file}: the matrix '${name}' in 4 bits has no ${part}`);
  const shapeOf = (part: Part, types: readonly string[], axes: number): readonly number[] => {
    const { dtype, shape } = required(part);
    if (!types.includes(dtype)) wrong(part, `is stored as ${dtype}, expected ${types.join(' or ')}`);
    if (shape.length !== axes || shape.some((size) => size === 0)) wrong(part, `has the shape [${shape}]`);
    return shape;
  };
  const [rows = 0, cols = 0] = shapeOf('integers', ['I32', 'U32'], 2);
  const scaleShape = shapeOf('scales', floatTypes, 2);
  const groupsOf = (inputs: number) => (groupSize === null ? 1 : Math.ceil(inputs / groupSize));
  const isShape = (shape: readonly number[], ...expected: number[]) => shape.join() === expected.join();

  const isOurs = kind === 'compressed' && !isShape(scaleShape, rows, groupsOf(8 * cols));
  const packsInputs = kind !== 'awq';
  const isTransposed = kind !== 'compressed' || isOurs;
  const [inputs, outputs] = isTransposed
    ? packsInputs
      ? [8 * rows, cols]
      : [rows, 8 * cols]
    : [8 * cols, rows];
  const groups = groupsOf(inputs);
  const expected = isTransposed ? [groups, outputs] : [outputs, groups];
  if (!isShape(scaleShape, ...expected))
    wrong(
      'scales',
      `has the shape [${scaleShape}], expected [${expected}] for integers of [${[rows, cols]}]`,
    );
  const hasZeros = !isSymmetric || kind !== 'compressed';
  if (hasZeros) {
    const zeroShape = shapeOf('zeros', ['I32', 'U32'], 2);
    const packed = Math.ceil(outputs / 8);
    const wanted = kind === 'compressed' ? [packed, groups] : [groups, packed];
    if (!isShape(zeroShape, ...wanted)) wrong('zeros', `has the shape [${zeroShape}], expected [${wanted}]`);
  }
  if (parts.has('order') && !isShape(shapeOf('order', ['I32', 'I64'], 1), inputs))
    wrong('order', `must have the shape [${inputs}]`);
  if (parts.has('shape')) shapeOf('shape', ['I32', 'I64'], 1);
  const axis = isOurs || (isInputsFirst && kind !== 'compressed') ? 1 : 0;
  const shape: readonly [number, number] = axis === 0 ? [outputs, inputs] : [inputs, outputs];

  return {
    name,
    shape,
    parts,
    read(bytes) {
      const integersIn = (part: Part): number[] | null => {
        const found = bytes(part);
        if (!found) return null;
        const { buffer } = found.slice();
        return required(part).dtype === 'I64'
          ? Array.from(new BigInt64Array(buffer), Number)
          : Array.from(new Int32Array(buffer));
      };
      const wordsOf = (part: Part): Uint32Array =>
        new Uint32Array((bytes(part) ?? new Uint8Array()).slice().buffer);
      const given = integersIn('shape');
      if (given && !isShape(given, ...shape))
        wrong('shape', `holds [${given}], but the integers are of a matrix [${shape}]`);
      const scales = toFloats(bytes('scales') ?? new Uint8Array(), required('scales').dtype);
      const bad = scales.find((scale) => !Number.isFinite(scale));
      if (bad !== undefined) wrong('scales', `holds ${bad}, which is not a valid scale`);
      const order =
        integersIn('order') ??
        Array.from({ length: inputs }, (_, k) => Math.floor(k / (groupSize ?? inputs)));
      const outside = order.find((group) => !(group >= 0 && group < groups));
      if (outside !== undefined) wrong('order', `names the group ${outside} of ${groups}`);
      // AutoAWQ packs eight columns as 0, 2, 4, 6, 1, 3, 5, 7.
      const interleaved = [0, 4, 1, 5, 2, 6, 3, 7];
      const integers: Words = {
        words: wordsOf('integers'),
        steps: isTransposed ? [1, cols] : [cols, 1],
        packsOutputs: !packsInputs,
        order: packsInputs ? inOrder : interleaved,
      };
      const zeros: Words | null = hasZeros
        ? {
            words: wordsOf('zeros'),
            steps: kind === 'compressed' ? [groups, 1] : [1, Math.ceil(outputs / 8)],
            packsOutputs: true,
            order: kind === 'awq' ? interleaved : inOrder,
          }
        : null;
      const scaleSteps = isTransposed ? ([1, outputs] as const) : ([groups, 1] as const);
      // GPTQ stores zero points minus 1.
      const addedToZeros = kind === 'gptq' ? 1 : 0;
      return { axis, inputs, outputs, integers, scales, scaleSteps, zeros, addedToZeros, groups: order };
    },
  };
}
