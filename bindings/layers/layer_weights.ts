/** Transfers weights with PyTorch's names to the engine. */

import type { Dtype } from '../engine/dtype.js';
import type { Handle, Host, MakeAgain } from '../engine/host.js';
import { isKnownBuffer } from '../plans/torch_names.js';
import { fail, TransformerError } from '../values/errors.js';
import { toInteger, toObject } from '../values/options.js';
import { type TensorData, type TensorLike, toTensor } from '../values/tensor.js';
import { SliceWriter } from '../weights/slice_writer.js';
import type { Shapes, Slice } from '../weights/slices.js';
import type { LayerClass, Made } from './layer.js';

/** Tensors under PyTorch's names, as in `module.state_dict()`; or a seed for random weights. */
export type LayerWeights = Readonly<Record<string, TensorLike>> | { readonly seed: number };

/** Weights that were read: tensors by name, or a seed. */
export type ReadWeights =
  | { readonly seed: number; readonly tensors?: undefined }
  | { readonly tensors: ReadonlyMap<string, TensorData>; readonly seed?: undefined };

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

/** Rejects unused weights, because half of a wrong set is worse than none. */
function checkAllUsed(tensors: ReadonlyMap<string, unknown>, used: readonly Slice[]): void {
  const known = new Set(used.map(({ from }) => from));
  const unused = [...tensors.keys()].filter((name) => !known.has(name) && !isKnownBuffer(name));
  if (unused.length > 0)
    fail('invalid_argument', `weights contain tensors that this layer does not use: ${listNames(unused)}`);
}

/** The ingredients of a layer. */
interface Recipe<Name extends LayerClass> {
  /** Creates the layer from weights in the engine. */
  readonly build: (host: Host, weights: Handle<'Weights'>) => Promise<Handle<Name>>;
  readonly dtype: Dtype;
  readonly weights: ReadWeights;
  /** Maps parts of tensors to the engine's tensors; empty for random weights. */
  readonly slices: readonly Slice[];
}

/** Creates a layer, of which a host may keep a second copy. */
export async function makeLayer<Name extends LayerClass>(
  host: Host,
  recipe: Recipe<Name>,
): Promise<Made<Name>> {
  const made = await makeOnce(host, recipe);
  host.offer(made.handle, made.parameterCount, () => keepWeights(recipe));
  return made;
}

/** The caller may change the arrays, which are the weights as they are now. */
function keepWeights<Name extends LayerClass>({ weights, ...recipe }: Recipe<Name>): MakeAgain {
  const { tensors } = weights;
  const kept = tensors && {
    tensors: new Map(Array.from(tensors, ([name, { data, shape }]) => [name, { data: data.slice(), shape }])),
  };
  return async (host) => (await makeOnce(host, { ...recipe, weights: kept ?? weights })).handle;
}

/** Transfers the weights and checks that all of them are used. */
export async function makeOnce<Name extends LayerClass>(
  host: Host,
  { build, dtype, weights, slices }: Recipe<Name>,
): Promise<Made<Name>> {
  const { tensors, seed } = weights;
  if (tensors) checkAllUsed(tensors, slices);
  const handed = await host.create('Weights', dtype, seed);
  let handle: Handle<Name> | undefined;
  try {
    if (tensors) await handOver(host, handed, slices, tensors);
    handle = await build(host, handed);
    const left = new Set(await host.invoke(handed, 'names'));
    if (tensors)
      checkAllUsed(
        tensors,
        slices.filter(({ name }) => !left.has(name)),
      );
    const parameterCount = await host.invoke<LayerClass, 'parameterCount'>(handle, 'parameterCount');
    return { host, handle, parameterCount };
  } catch (error) {
    if (handle) await host.release(handle);
    // The caller's tensors are arguments, not a file.
    if (error instanceof TransformerError && error.code === 'bad_checkpoint')
      throw new TransformerError('invalid_argument', error.message, { cause: error });
    throw error;
  } finally {
    await host.release(handed);
  }
}

/** All at once, because the engine answers in the order of the requests. */
async function handOver(
  host: Host,
  weights: Handle<'Weights'>,
  slices: readonly Slice[],
  tensors: ReadonlyMap<string, TensorData>,
): Promise<void> {
  const writer = new SliceWriter(host, weights, slices);
  await Promise.all(
    Array.from(tensors, ([name, { data, shape }]) => {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      const tensor = { name, dtype: 'F32', shape } as const;
      return writer.wants(name) ? writer.write({ tensor, first: 0, isLast: true, bytes }) : undefined;
    }),
  );
  await writer.finish();
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
