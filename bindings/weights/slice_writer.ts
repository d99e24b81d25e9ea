/** Writes tensors into the engine as they are read, each slice under its engine name. */

import type { MethodArgs } from '../engine/calls.js';
import type { Handle, Host } from '../engine/host.js';
import { elements } from '../values/tensor.js';
import { toFloats } from './floats.js';
import type { Scales } from './scales.js';
import { purposeOf, type Slice } from './slices.js';
import { dtypeBytes, type FixedScales } from './stored_tensor.js';

/** A data type that the engine accepts. */
export type WrittenType = MethodArgs<'Weights', 'declare'>[2];

/** A tensor's description, known before its numbers. */
export interface WrittenTensor {
  readonly name: string;
  readonly dtype: WrittenType;
  readonly shape: readonly number[];
  readonly integers?: FixedScales | undefined;
}

/** Consecutive elements of a tensor, in row-major order. */
export interface WrittenPiece {
  readonly tensor: WrittenTensor;
  /** Index of its first element in the tensor. */
  readonly first: number;
  /** Whether it is the tensor's last piece. */
  readonly isLast: boolean;
  readonly bytes: Uint8Array;
}

/** How many pieces may be on their way to the engine. */
const most = 2;

/** Temporary name of a tensor in the engine while views are made of it. */
export const temporaryName = (name: string) => `stored.${name}`;

export class SliceWriter {
  readonly #host: Host;
  readonly #weights: Handle<'Weights'>;
  readonly #slices = new Map<string, Slice[]>();
  readonly #underWay: Promise<unknown>[] = [];

  constructor(host: Host, weights: Handle<'Weights'>, slices: readonly Slice[]) {
    this.#host = host;
    this.#weights = weights;
    for (const slice of slices) {
      const group = this.#slices.get(slice.from);
      if (group) group.push(slice);
      else this.#slices.set(slice.from, [slice]);
    }
  }

  /** Whether any slice reads the tensor. */
  wants(name: string): boolean {
    return this.#slices.has(name);
  }

  /**
   * Takes the pieces of a tensor in order; `scales` for a tensor of integers. The bytes can be overwritten afterwards, but are
   * not in the engine before `finish` has returned: the next piece is read while the engine packs this one.
   */
  async write(piece: WrittenPiece, scales?: Scales): Promise<void> {
    const { tensor, first, isLast } = piece;
    const slices = this.#slices.get(tensor.name) ?? [];
    const parts = writtenParts(slices, tensor);
    if (first === 0) for (const part of parts) await this.#declare(tensor, part, scales);
    for (const part of parts) await this.#writePart(part, piece);
    if (isLast) await this.#makeViews(slices, tensor);
  }

  async #declare(
    { shape: stored, dtype, integers }: WrittenTensor,
    part: Slice,
    scales?: Scales,
  ): Promise<void> {
    const type = part.added === undefined ? dtype : 'F32';
    await this.#host.invoke(this.#weights, 'declare', part.name, [...part.shape], type, purposeOf(part));
    if (integers)
      await this.#host.invoke(
        this.#weights,
        'fixScales',
        part.name,
        integers.weights,
        integers.activations ?? 0,
      );
    if (!scales) return;
    // The scales of this slice's rows; if all rows share the scales, there is nothing to cut.
    const { values, run } = scales;
    const before = Math.floor((part.firstRow * elements(stored.slice(1))) / run) % values.length;
    await this.#host.invoke(this.#weights, 'scale', part.name, values.subarray(before), run);
  }

  /** Writes the part of the piece that belongs to the slice. */
  async #writePart(part: Slice, { tensor, first, bytes }: WrittenPiece): Promise<void> {
    const size = dtypeBytes.get(tensor.dtype) ?? 1;
    const begin = part.firstRow * elements(tensor.shape.slice(1));
    const from = Math.max(first, begin);
    const to = Math.min(first + bytes.length / size, begin + elements(part.shape));
    if (from >= to) return;
    const own = bytes.subarray((from - first) * size, (to - first) * size);
    const { added } = part;
    const written = added === undefined ? own : plus(toFloats(own, tensor.dtype), added);
    await this.#send(this.#host.invoke(this.#weights, 'write', part.name, from - begin, written));
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
  async #makeViews(slices: readonly Slice[], tensor: WrittenTensor): Promise<void> {
    const views = slices.flatMap((slice) => (slice.view ? [{ ...slice, view: slice.view }] : []));
    if (views.length === 0) return;
    await this.finish(); // what failed is thrown as it is, not as a view of something incomplete
    const stored = temporaryName(tensor.name);
    for (const { name, shape, view, ...rest } of views)
      await this.#host.invoke(this.#weights, 'view', name, [...shape], stored, view, purposeOf(rest));
    await this.#host.invoke(this.#weights, 'drop', stored);
  }
}

/** The bytes of numbers with another added to each. */
const plus = (numbers: Float32Array, added: number): Uint8Array =>
  new Uint8Array(numbers.map((number) => number + added).buffer);

/** The slices that are written directly. A tensor that is also viewed in another order is written whole. */
function writtenParts(slices: readonly Slice[], { name, shape }: WrittenTensor): Slice[] {
  const parts = slices.filter(({ view }) => view === undefined);
  // With one axis: the engine packs matrices, but a view needs the file's order.
  if (parts.length < slices.length)
    parts.push({ name: temporaryName(name), from: name, firstRow: 0, rows: null, shape: [elements(shape)] });
  return parts;
}
