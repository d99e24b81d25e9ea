/**
 * How a file stores a matrix of integers and scales, for each dtype of the engine that is written: the tensors of the
 * compressed-tensors format, and their description in config.json. quantization.ts and packed_layouts.ts read them.
 */

import type { QuantizedDtype } from '../engine/dtype.js';
import type { JsonObject } from '../files/json_object.js';
import { scaleName } from './quantization.js';
import type { TensorPlace } from './safetensors_header.js';
import { elementBytes } from './stored_tensor.js';

/** The properties of one dtype's layout. */
interface IntegerLayout {
  /** The suffix to the matrix's name. */
  readonly suffix: string;
  /** Of the words that hold the integers, along the inputs. */
  readonly dtype: string;
  readonly integersOfWord: number;
  readonly scaleDtype: string;
  /** Inputs that share a scale; `null`: all. */
  readonly groupSize: number | null;
  /** Whether the scales precede all matrices, so that the file can be read in one pass; else only their own matrix. */
  readonly scalesFirst: boolean;
  /** Whether the shape, which does not follow from the words, is stored too. */
  readonly storesShape: boolean;
  /** Of a group of layers in `quantization_config`. */
  readonly format: string;
  readonly scheme: JsonObject;
}

const integers = { num_bits: 8, type: 'int', symmetric: true };

/** Wide words first, so that all are aligned. */
export const integerLayouts: Readonly<Record<QuantizedDtype, IntegerLayout>> = {
  int4: {
    suffix: '_packed',
    dtype: 'I32',
    integersOfWord: 8,
    scaleDtype: 'BF16',
    groupSize: 32,
    scalesFirst: false,
    storesShape: true,
    format: 'pack-quantized',
    scheme: {
      weights: { ...integers, num_bits: 4, strategy: 'group', group_size: 32, dynamic: false },
      input_activations: null,
      output_activations: null,
    },
  },
  int8: {
    suffix: '',
    dtype: 'I8',
    integersOfWord: 1,
    scaleDtype: 'F32',
    groupSize: null,
    scalesFirst: true,
    storesShape: false,
    format: 'int-quantized',
    scheme: {
      weights: { ...integers, strategy: 'channel', dynamic: false },
      input_activations: { ...integers, strategy: 'token', dynamic: true },
      output_activations: null,
    },
  },
};

/** The `quantization_config` of config.json. */
export function compressedTensors(
  /** Classes of modules whose weights are quantised. */
  targets: ReadonlyMap<QuantizedDtype, readonly string[]>,
  /** Modules of the classes that are not. */
  ignore: readonly string[],
): JsonObject {
  const used = (Object.keys(integerLayouts) as QuantizedDtype[]).filter((dtype) => targets.has(dtype));
  const isMixed = used.length > 1;
  const groups = used.map((dtype, i) => {
    const { format, scheme } = integerLayouts[dtype];
    return [`group_${i}`, { ...(isMixed && { format }), targets: targets.get(dtype), ...scheme }];
  });
  const [first] = used;
  return {
    quant_method: 'compressed-tensors',
    format: isMixed || !first ? 'mixed-precision' : integerLayouts[first].format,
    quantization_status: 'compressed',
    config_groups: Object.fromEntries(groups),
    ignore,
    kv_cache_scheme: null,
  };
}

/** Integers and scales of some rows, as the engine gives them. */
type QuantizedNumbers = Readonly<Record<'integers' | 'scales', Uint8Array>>;

/** A matrix of a file in such a layout. */
export class LaidOutMatrix {
  readonly layout: IntegerLayout;
  readonly outputs: number;
  readonly inputs: number;
  readonly #name: string;
  /** The axis of the outputs: 0 for [out, in], 1 for [in, out]. */
  readonly #axis: 0 | 1;

  constructor(layout: IntegerLayout, name: string, shape: readonly number[], axis: 0 | 1) {
    this.layout = layout;
    this.#name = name;
    this.#axis = axis;
    this.outputs = shape[axis] ?? 0;
    this.inputs = shape[1 - axis] ?? 0;
  }

  /** Whether its inputs fill whole words. */
  get fits(): boolean {
    return this.inputs % this.layout.integersOfWord === 0;
  }

  /** The tensors in front of everything that is not quantised, and those behind. */
  places(): { readonly front: readonly TensorPlace[]; readonly back: readonly TensorPlace[] } {
    const { dtype, scalesFirst, storesShape } = this.layout;
    const scales = { name: this.#scales, dtype: this.layout.scaleDtype, shape: this.#shape(this.#groups) };
    const words = { name: this.#integers, dtype, shape: this.#shape(this.#words) };
    const shape = { name: this.#shapeName, dtype: 'I64', shape: [2] };
    return {
      front: [...(storesShape ? [shape] : []), ...(scalesFirst ? [scales] : [])],
      back: [...(scalesFirst ? [] : [scales]), words],
    };
  }

  /** The bytes to write for the numbers of the outputs from `first` on, and where: in which tensor, at which byte. */
  *bytesOf(
    first: number,
    { integers, scales }: QuantizedNumbers,
  ): Generator<readonly [name: string, bytes: Uint8Array, at: number]> {
    const parts = [
      [this.#integers, integers, this.#words, elementBytes(this.layout)],
      [this.#scales, scales, this.#groups, elementBytes({ dtype: this.layout.scaleDtype })],
    ] as const;
    for (const [name, bytes, count, size] of parts) {
      // As [in, out], it is written as a whole.
      const inOrder = this.#axis === 0 ? bytes : transposed(bytes, [this.outputs, count], size);
      yield [name, inOrder, this.#axis === 0 ? first * count * size : 0];
    }
    if (first === 0 && this.layout.storesShape) {
      const shape = this.#shape(this.inputs);
      yield [this.#shapeName, new Uint8Array(BigInt64Array.from(shape, BigInt).buffer), 0];
    }
  }

  get #integers(): string {
    return `${this.#name}${this.layout.suffix}`;
  }

  get #scales(): string {
    return scaleName(this.#name);
  }

  get #shapeName(): string {
    return `${this.#name}_shape`;
  }

  /** Of an output. */
  get #words(): number {
    return this.inputs / this.layout.integersOfWord;
  }

  get #groups(): number {
    const { groupSize } = this.layout;
    return groupSize === null ? 1 : Math.ceil(this.inputs / groupSize);
  }

  /** With that many elements for each output. */
  #shape(count: number): readonly number[] {
    return this.#axis === 0 ? [this.outputs, count] : [count, this.outputs];
  }
}

/** [rows, cols] -> [cols, rows], for elements of this many bytes. */
export function transposed(
  bytes: Uint8Array,
  [rows, cols]: readonly [rows: number, cols: number],
  size: number,
): Uint8Array {
  const result = new Uint8Array(bytes.length);
  let from = 0;
  for (let row = 0; row < rows; row++)
    for (let col = 0; col < cols; col++, from += size)
      for (let i = 0; i < size; i++) result[(col * rows + row) * size + i] = bytes[from + i] ?? 0;
  return result;
}
