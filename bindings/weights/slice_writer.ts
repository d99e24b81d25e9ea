/** Writes tensors into the engine as they are read, each slice under its engine name. */

import type { MethodArgs } from '../engine/calls.js';
import type { Handle, Host } from '../engine/host.js';
import { elements } from '../values/tensor.js';
import type { Scales } from './scales.js';
import { purposeOf, type Slice } from './slices.js';
import { blockOf, elementBytes, type PackedTensor, type StoredTensor } from './stored_tensor.js';

/** A data type that the engine accepts. */
export type WrittenType = MethodArgs<'Weights', 'declare'>[2];

/** A tensor's description, known before its numbers. */
export interface WrittenTensor
  extends Pick<StoredTensor, 'name' | 'shape' | 'block' | 'integers' | 'added' | 'headRows'> {
  readonly dtype: WrittenType;
}

type NamedShape = Pick<StoredTensor, 'name' | 'shape'>;

/** Consecutive elements of a tensor, in row-major order. */
interface WrittenPiece {
  readonly tensor: WrittenTensor;
  /** Index of its first element in the tensor. */
  readonly first: number;
  /** Whether it is the tensor's last piece. */
  readonly isLast: boolean;
  readonly bytes: Uint8Array;
}

/** A matrix of which some parts are not in the engine yet. */
interface PackedMatrix extends PackedTensor {
  readonly whole: NamedShape;
  readonly left: Set<string>;
}

/** How many pieces may be on their way to the engine. */
const most = 2;

/** Temporary name of a tensor in the engine while views are made of it. */
export const temporaryName = (name: string) => `stored.${name}`;

export class SliceWriter {
  readonly #host: Host;
  readonly #weights: Handle<'Weights'>;
  readonly #slices = new Map<string, Slice[]>();
  /** The matrices of several tensors, by the names of these. */
  readonly #packed = new Map<string, PackedMatrix>();
  readonly #underWay: Promise<unknown>[] = [];

  constructor(
    host: Host,
    weights: Handle<'Weights'>,
    slices: readonly Slice[],
    /** All that are stored, to know which matrices are in several. */
    tensors: readonly Pick<StoredTensor, 'name' | 'shape' | 'packed'>[] = [],
  ) {
    this.#host = host;
    this.#weights = weights;
    for (const slice of slices) {
      const group = this.#slices.get(slice.from);
      if (group) group.push(slice);
      else this.#slices.set(slice.from, [slice]);
    }
    for (const { packed, ...whole } of tensors) {
      if (!packed || !this.#slices.has(whole.name)) continue;
      const matrix = { ...packed, whole, left: new Set(packed.parts.map(({ name }) => name)) };
      for (const { name } of packed.parts) this.#packed.set(name, matrix);
    }
  }

  /** Whether any slice reads the tensor. */
  wants(name: string): boolean {
    return this.#slices.has(name) || this.isPart(name);
  }

  /** Whether it is one of several of a matrix. */
  isPart(name: string): boolean {
    return this.#packed.has(name);
  }

  /**
   * Takes the pieces of a tensor in order; `scales` for a tensor of integers. The bytes can be overwritten afterwards,
   * but are not in the engine before `finish` has returned: the next piece is read while the engine packs this one.
   */
  async write(piece: WrittenPiece, scales?: Scales): Promise<void> {
    const { tensor, first, isLast } = piece;
    const slices = this.#slices.get(tensor.name) ?? [];
    const parts = writtenParts(slices, tensor);
    if (first === 0) for (const part of parts) await this.#declare(tensor, part, scales);
    for (const part of parts) await this.#writePart(part, piece);
    if (isLast) await this.#makeViews(slices, tensor);
  }

  /** Takes the pieces of a part of a matrix, which the engine puts together when it has all of them. */
  async hold({
    tensor,
    first,
    isLast,
    bytes,
  }: Omit<WrittenPiece, 'tensor'> & { tensor: StoredTensor }): Promise<void> {
    const { name, shape } = tensor;
    const matrix = this.#packed.get(name);
    if (!matrix) return;
    const size = elementBytes(tensor);
    if (first === 0) await this.#host.invoke(this.#weights, 'hold', name, elements(shape) * size);
    await this.#send(this.#host.invoke(this.#weights, 'write', name, first * size, bytes));
    const { whole, layout, parts, left } = matrix;
    if (!isLast || !left.delete(name) || left.size > 0) return;
    await this.finish(); // as for views
    const slices = this.#slices.get(whole.name) ?? [];
    for (const part of writtenParts(slices, whole)) {
      const { name: target, firstRow } = part;
      const shapeOfPart = [...part.shape];
      await this.#host.invoke(
        this.#weights,
        'unpack',
        target,
        shapeOfPart,
        layout,
        firstRow,
        purposeOf(part),
      );
    }
    for (const part of parts) await this.#host.invoke(this.#weights, 'drop', part.name);
    await this.#makeViews(slices, whole);
  }

  async #declare(tensor: WrittenTensor, part: Slice, scales?: Scales): Promise<void> {
    const { shape: stored, dtype, integers, headRows } = tensor;
    const { name, shape } = part;
    await this.#host.invoke(this.#weights, 'declare', name, [...shape], dtype, purposeOf(part));
    // Where a file stores what the family adds, nothing is left to add.
    const added = (part.added ?? 0) + (tensor.added ?? 0);
    if (added !== 0) await this.#host.invoke(this.#weights, 'add', name, added);
    const rowNumbers = elements(stored.slice(1));
    if (headRows) await this.#host.invoke(this.#weights, 'pairRows', name, headRows, rowNumbers);
    if (integers)
      await this.#host.invoke(this.#weights, 'fixScales', name, integers.weights, integers.activations ?? 0);
    if (!scales) return;
    // The scales of this slice's rows; if all rows share the scales, there is nothing to cut.
    const { values, run } = scales;
    const before = Math.floor((part.firstRow * elements(stored.slice(1))) / run) % values.length;
    await this.#host.invoke(this.#weights, 'scale', name, values.subarray(before), run);
  }

  /** Writes the part of the piece that belongs to the slice. */
  async #writePart(part: Slice, { tensor, first, bytes }: WrittenPiece): Promise<void> {
    const block = blockOf(tensor);
    const begin = part.firstRow * elements(tensor.shape.slice(1));
    const from = Math.max(first, begin);
    const to = Math.min(first + (bytes.length / block.bytes) * block.numbers, begin + elements(part.shape));
    if (from >= to) return;
    const place = (element: number) => ((element - first) / block.numbers) * block.bytes;
    const own = bytes.subarray(place(from), place(to));
    await this.#send(this.#host.invoke(this.#weights, 'write', part.name, from - begin, own));
  }

  /** Waits only if too much is under way. */
  async #send(request: Promise<unknown>): Promise<void> {
    request.catch(() => undefined); // thrown when it is waited for
    this.#underWay.push(request);
    if (this.#underWay.length > most) await this.#underWay.shift();
  }

  /** Waits until everything is in the engine, and throws what failed. */
  async finish(): Promise<void> {
    await Promise.all(this.#underWay.splice(0));
  }

  /** Makes the slices that are views of the whole tensor, then releases it. */
  async #makeViews(slices: readonly Slice[], tensor: NamedShape): Promise<void> {
    const views = slices.flatMap((slice) => (slice.view ? [{ ...slice, view: slice.view }] : []));
    if (views.length === 0) return;
    await this.finish(); // what failed is thrown as it is, not as a view of something incomplete
    const stored = temporaryName(tensor.name);
    for (const { name, shape, view, ...rest } of views)
      await this.#host.invoke(this.#weights, 'view', name, [...shape], stored, view, purposeOf(rest));
    await this.#host.invoke(this.#weights, 'drop', stored);
  }
}

/** The slices that are written directly. A tensor that is also viewed in another order is written whole. */
function writtenParts(slices: readonly Slice[], { name, shape }: NamedShape): Slice[] {
  const parts = slices.filter(({ view }) => view === undefined);
  // With one axis: the engine packs matrices, but a view needs the file's order.
  if (parts.length < slices.length)
    parts.push({ name: temporaryName(name), from: name, firstRow: 0, rows: null, shape: [elements(shape)] });
  return parts;
}
