/** One matrix of 4-bit weights: its tensors are found and checked, and then read. */

import { fail } from '../values/errors.js';
import { floatTypes, toFloats } from './floats.js';
import type { Layout, Part } from './packed_layouts.js';
import { inOrder, type PackedMatrix, type Words } from './packed_matrix.js';
import type { StoredTensor } from './stored_tensor.js';

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
export function findMatrix(name: string, finding: Finding): FoundMatrix {
  const { layout, parts } = finding;
  const tensors = new Tensors(name, finding);
  const sizes = sizesOf(tensors, finding);
  checkShapes(tensors, sizes, layout);
  const { axis, inputs, outputs } = sizes;
  const shape: readonly [number, number] = axis === 0 ? [outputs, inputs] : [inputs, outputs];
  return {
    name,
    shape,
    parts,
    read(bytes) {
      const contents = new Contents(tensors, bytes);
      const given = contents.integers('shape');
      if (given && !isShape(given, ...shape))
        tensors.wrong('shape', `holds [${given}], but the integers are of a matrix [${shape}]`);
      const scales = contents.scales();
      return {
        ...{ axis, inputs, outputs, scales },
        ...stepsOf(sizes, layout, contents),
        groups: contents.groups(sizes, layout.groupSize),
      };
    },
  };
}

const isShape = (shape: readonly number[], ...expected: number[]) => shape.join() === expected.join();

/** The tensors of a matrix, each required and checked when it is first used. */
class Tensors {
  readonly #name: string;
  readonly #parts: ReadonlyMap<Part, StoredTensor>;
  readonly #file: string;

  constructor(name: string, { parts, file }: Finding) {
    this.#name = name;
    this.#parts = parts;
    this.#file = file;
  }

  has(part: Part): boolean {
    return this.#parts.has(part);
  }

  wrong(part: Part, what: string): never {
    const name = this.#parts.get(part)?.name ?? `${this.#name}: ${part}`;
    return fail('bad_checkpoint', `${this.#file}: the tensor '${name}' ${what}`);
  }

  required(part: Part): StoredTensor {
    const found = this.#parts.get(part);
    return (
      found ?? fail('bad_checkpoint', `${this.#file}: the matrix '${this.#name}' in 4 bits has no ${part}`)
    );
  }

  shapeOf(part: Part, types: readonly string[], axes: number): readonly number[] {
    const { dtype, shape } = this.required(part);
    if (!types.includes(dtype)) this.wrong(part, `is stored as ${dtype}, expected ${types.join(' or ')}`);
    if (shape.length !== axes || shape.some((size) => size === 0))
      this.wrong(part, `has the shape [${shape}]`);
    return shape;
  }
}

interface Sizes {
  readonly inputs: number;
  readonly outputs: number;
  /** Of inputs, each with a scale. */
  readonly groups: number;
  /** The columns of the tensor of integers. */
  readonly cols: number;
  /** Whether the tensors have inputs before outputs. */
  readonly isTransposed: boolean;
  /** The axis of the outputs in the whole matrix. */
  readonly axis: 0 | 1;
}

/** From the shapes of integers and scales, which have to agree. */
function sizesOf(tensors: Tensors, { layout, isInputsFirst }: Finding): Sizes {
  const { kind, groupSize } = layout;
  const [rows = 0, cols = 0] = tensors.shapeOf('integers', ['I32', 'U32'], 2);
  const scaleShape = tensors.shapeOf('scales', floatTypes, 2);
  const groupsOf = (inputs: number) => (groupSize === null ? 1 : Math.ceil(inputs / groupSize));
  const isOurs = kind === 'compressed' && !isShape(scaleShape, rows, groupsOf(8 * cols));
  const isTransposed = kind !== 'compressed' || isOurs;
  const packedRows = kind === 'awq' ? [rows, 8 * cols] : [8 * rows, cols];
  const [inputs = 0, outputs = 0] = isTransposed ? packedRows : [8 * cols, rows];
  const groups = groupsOf(inputs);
  const expected = isTransposed ? [groups, outputs] : [outputs, groups];
  if (!isShape(scaleShape, ...expected))
    tensors.wrong(
      'scales',
      `has the shape [${scaleShape}], expected [${expected}] for integers of [${[rows, cols]}]`,
    );
  const axis = isOurs || (isInputsFirst && kind !== 'compressed') ? 1 : 0;
  return { inputs, outputs, groups, cols, isTransposed, axis };
}

const hasZeros = ({ isSymmetric, kind }: Layout) => !isSymmetric || kind !== 'compressed';

/** Those of the parts that do not decide the sizes. */
function checkShapes(tensors: Tensors, { inputs, outputs, groups }: Sizes, layout: Layout): void {
  if (hasZeros(layout)) {
    const shape = tensors.shapeOf('zeros', ['I32', 'U32'], 2);
    const packed = Math.ceil(outputs / 8);
    const expected = layout.kind === 'compressed' ? [packed, groups] : [groups, packed];
    if (!isShape(shape, ...expected))
      tensors.wrong('zeros', `has the shape [${shape}], expected [${expected}]`);
  }
  if (tensors.has('order') && !isShape(tensors.shapeOf('order', ['I32', 'I64'], 1), inputs))
    tensors.wrong('order', `must have the shape [${inputs}]`);
  if (tensors.has('shape')) tensors.shapeOf('shape', ['I32', 'I64'], 1);
}

/** The numbers in the tensors of a matrix. */
class Contents {
  readonly #tensors: Tensors;
  readonly #bytes: (part: Part) => Uint8Array | null;

  constructor(tensors: Tensors, bytes: (part: Part) => Uint8Array | null) {
    this.#tensors = tensors;
    this.#bytes = bytes;
  }

  integers(part: Part): number[] | null {
    const found = this.#bytes(part);
    if (!found) return null;
    const { buffer } = found.slice();
    return this.#tensors.required(part).dtype === 'I64'
      ? Array.from(new BigInt64Array(buffer), Number)
      : Array.from(new Int32Array(buffer));
  }

  words(part: Part): Uint32Array {
    return new Uint32Array((this.#bytes(part) ?? new Uint8Array()).slice().buffer);
  }

  scales(): Float32Array {
    const scales = toFloats(
      this.#bytes('scales') ?? new Uint8Array(),
      this.#tensors.required('scales').dtype,
    );
    const bad = scales.find((scale) => !Number.isFinite(scale));
    if (bad !== undefined) this.#tensors.wrong('scales', `holds ${bad}, which is not a valid scale`);
    return scales;
  }

  /** The group of each input. */
  groups({ inputs, groups }: Sizes, groupSize: number | null): number[] {
    const neighbours = () => Array.from({ length: inputs }, (_, k) => Math.floor(k / (groupSize ?? inputs)));
    const order = this.integers('order') ?? neighbours();
    const outside = order.find((group) => !(group >= 0 && group < groups));
    if (outside !== undefined) this.#tensors.wrong('order', `names the group ${outside} of ${groups}`);
    return order;
  }
}

/** AutoAWQ packs eight columns as 0, 2, 4, 6, 1, 3, 5, 7. */
const interleaved = [0, 4, 1, 5, 2, 6, 3, 7];

/** Where in the words and scales each number is. */
function stepsOf(
  { outputs, groups, cols, isTransposed }: Sizes,
  layout: Layout,
  contents: Contents,
): Pick<PackedMatrix, 'integers' | 'scaleSteps' | 'zeros' | 'addedToZeros'> {
  const { kind } = layout;
  const order = kind === 'awq' ? interleaved : inOrder;
  const integers: Words = {
    words: contents.words('integers'),
    steps: isTransposed ? [1, cols] : [cols, 1],
    packsOutputs: kind === 'awq',
    order,
  };
  const zeros: Words | null = hasZeros(layout)
    ? {
        words: contents.words('zeros'),
        steps: kind === 'compressed' ? [groups, 1] : [1, Math.ceil(outputs / 8)],
        packsOutputs: true,
        order,
      }
    : null;
  const scaleSteps = isTransposed ? ([1, outputs] as const) : ([groups, 1] as const);
  // GPTQ stores zero points minus 1.
  return { integers, scaleSteps, zeros, addedToZeros: kind === 'gptq' ? 1 : 0 };
}
