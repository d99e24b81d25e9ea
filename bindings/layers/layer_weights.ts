/** Weights under PyTorch's names, on their way into the engine. */

import { isKnownBuffer } from '../checkpoint/families/torch_names.js';
import type { Shapes, Slice } from '../checkpoint/weights/slices.js';
import { fail } from '../engine/errors.js';
import type { Handle, Host } from '../engine/host.js';
import { toInteger, toObject } from '../engine/options.js';
import { type TensorData, type TensorLike, toTensor } from '../engine/tensor.js';

/** Tensors under PyTorch's own names, as `module.state_dict()` has them; or a seed to draw them from. */
export type LayerWeights = Readonly<Record<string, TensorLike>> | { readonly seed: number };

/** What was given, read: tensors by name, or a seed. */
export type ReadWeights =
  | { readonly seed: number; readonly tensors?: undefined }
  | { readonly tensors: ReadonlyMap<string, TensorData> };

export function readWeights(weights: unknown): ReadWeights {
  if (weights === undefined)
    fail('invalid_argument', "weights are missing: give tensors under PyTorch's names, or { seed }");
  const given = weights instanceof Map ? Object.fromEntries(weights) : toObject(weights, 'weights');
  const names = Object.keys(given);
  if (names.length === 0)
    fail('invalid_argument', "weights are empty: give tensors under PyTorch's names, or { seed }");
  if (names.length === 1 && typeof given.seed === 'number')
    return { seed: toInteger(given.seed, 'seed', { min: 0, max: Number.MAX_SAFE_INTEGER }) };
  return { tensors: new Map(names.map((name) => [name, toTensor(given[name], `the weight '${name}'`)])) };
}

export const shapesOf = (tensors: ReadonlyMap<string, TensorData>): Shapes =>
  new Map(Array.from(tensors, ([name, { shape }]) => [name, shape]));

/** A wrong set of weights that is half used would be worse than none. */
export function checkAllUsed(tensors: ReadonlyMap<string, unknown>, used: Iterable<string>): void {
  const known = new Set(used);
  const unused = [...tensors.keys()].filter((name) => !known.has(name) && !isKnownBuffer(name));
  if (unused.length > 0)
    fail('invalid_argument', `weights hold what this layer does not use: ${listNames(unused)}`);
}

export interface Recipe {
  /** The engine's method that makes the layer. */
  readonly method: string;
  readonly config: Readonly<Record<string, unknown>> & { readonly dtype: unknown };
  readonly weights: ReadWeights;
  /** Which part of which tensor becomes what; none where weights are drawn. */
  readonly slices: readonly Slice[];
}

/** Makes a layer: hands over its weights, and sees to it that all of them were used. */
export async function makeLayer(host: Host, { method, config, weights, slices }: Recipe): Promise<Handle> {
  const { tensors } = weights;
  const { dtype } = config;
  if (!tensors) {
    const random = await host.create(null, 'Weights.random', weights.seed, dtype);
    return host.create(null, method, config, random).finally(() => host.release(random));
  }
  checkAllUsed(
    tensors,
    slices.map(({ from }) => from),
  );
  const handed = await host.create(null, 'Weights', dtype);
  let layer: Handle | undefined;
  try {
    await Promise.all(slices.flatMap((slice) => handOver(host, handed, slice, tensors)));
    layer = await host.create(null, method, config, handed);
    const left = new Set(await host.call<string[]>(handed, 'names'));
    checkAllUsed(
      tensors,
      slices.filter(({ name }) => !left.has(name)).map(({ from }) => from),
    );
    return layer;
  } catch (error) {
    if (layer) await host.release(layer);
    throw error;
  } finally {
    await host.release(handed);
  }
}

/** Both calls at once: they are answered in their order. */
function handOver(
  host: Host,
  weights: Handle,
  slice: Slice,
  tensors: ReadonlyMap<string, TensorData>,
): Promise<unknown>[] {
  const data = rowsOf(slice, tensors);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return [
    host.call(weights, 'declare', slice.name, [...slice.shape], 'F32'),
    host.call(weights, 'write', slice.name, 0, bytes),
  ];
}

/** The numbers of a slice. */
export function rowsOf(slice: Slice, tensors: ReadonlyMap<string, TensorData>): Float32Array {
  const tensor = tensors.get(slice.from) ?? fail('internal', `'${slice.from}' is not among the weights`);
  const width = tensor.data.length / Math.max(1, tensor.shape[0] ?? 1);
  const first = slice.firstRow * width;
  return tensor.data.subarray(first, slice.rows === null ? undefined : first + slice.rows * width);
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 8).join(', ');
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}
