/** Streams tensors from files into the engine, piece by piece, so that the weights never exist twice. */

import { fail } from '../../engine/errors.js';
import type { Handle, Host } from '../../engine/host.js';
import { floatTypes } from './floats.js';
import { readTensors, type TensorPiece } from './read_tensors.js';
import { readScales, type Scales } from './scales.js';
import type { Slice } from './slices.js';
import { elementBytes, elements, type StoredTensor } from './stored_tensor.js';
import type { WeightFile, WeightFiles } from './weight_file.js';

export interface WeightTarget {
  readonly host: Host;
  /** The engine's `Weights`. */
  readonly weights: Handle;
  /** Whether some of them may be integers with scales. */
  readonly isQuantized: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with the file that is being read, and the bytes of all files read so far. */
  readonly onBytes?: (file: WeightFile, loaded: number) => void;
}

/**
 * Reads the files and declares and fills every slice of their tensors. What no slice needs is skipped.
 *
 * @returns the bytes of all files
 * @throws TransformerError `bad_checkpoint` naming the file and the tensor; the signal's reason.
 */
export async function loadWeights(
  weightFiles: WeightFiles,
  slices: readonly Slice[],
  { host, weights, isQuantized, signal, onBytes }: WeightTarget,
): Promise<number> {
  const { files } = weightFiles;
  const wanted = bySource(slices);
  const engine: Engine = { host, weights };
  let before = 0;
  for (const file of files) {
    const tensors = file.tensors.filter(({ name }) => wanted.has(name));
    for (const tensor of tensors) checkReadable(file, tensor, isQuantized);
    const matrices = tensors.filter(({ dtype }) => dtype === 'I8');
    const scales = await readScales(weightFiles, matrices);
    let position = 0;
    for await (const piece of readTensors(file, ({ name }) => wanted.has(name))) {
      signal?.throwIfAborted();
      const { tensor, first, isLast } = piece;
      const slicesOfIt = wanted.get(tensor.name) ?? [];
      const parts = writtenParts(slicesOfIt, tensor);
      if (first === 0) await declare(tensor, parts, scales.get(tensor.name), engine);
      for (const part of parts) await writePart(part, piece, engine);
      if (isLast) await view(slicesOfIt, tensor, engine);
      position = piece.position;
      onBytes?.(file, before + position);
    }
    // A format with its directory at the end has a known size; the others have been read to their end.
    before += file.end ?? file.size ?? position;
    onBytes?.(file, before);
    await file.close();
  }
  return before;
}

interface Engine {
  readonly host: Host;
  readonly weights: Handle;
}

/** What is written as it is read. A tensor that is needed in another order goes in as a whole. */
function writtenParts(slices: readonly Slice[], tensor: StoredTensor): Slice[] {
  const parts = slices.filter(({ view }) => view === undefined);
  const { name } = tensor;
  // With one axis, since the engine packs matrices, and a view reads the numbers in the order of the file.
  const shape = [tensor.shape.reduce((product, axis) => product * axis, 1)];
  if (parts.length < slices.length)
    parts.push({ name: temporaryName(name), from: name, firstRow: 0, rows: null, shape });
  return parts;
}

/** A tensor's name in the engine while others are made from it. */
export const temporaryName = (name: string) => `stored.${name}`;

/** Makes the slices that are views of the whole tensor, and releases it. */
async function view(
  slices: readonly Slice[],
  tensor: StoredTensor,
  { host, weights }: Engine,
): Promise<void> {
  const views = slices.filter((slice) => slice.view !== undefined);
  for (const { name, shape, view } of views)
    await host.call(weights, 'view', name, [...shape], temporaryName(tensor.name), view);
  if (views.length > 0) await host.call(weights, 'drop', temporaryName(tensor.name));
}

async function declare(
  { shape: stored, dtype }: StoredTensor,
  parts: readonly Slice[],
  scales: Scales | undefined,
  { host, weights }: Engine,
): Promise<void> {
  for (const { name, shape, firstRow } of parts) {
    await host.call(weights, 'declare', name, [...shape], dtype);
    if (!scales) continue;
    // Skips the scales before the part's own; if every row has the same, there are none.
    const { values, run } = scales;
    const before = Math.floor((firstRow * elements(stored.slice(1))) / run) % values.length;
    await host.call(weights, 'scale', name, values.subarray(before), run);
  }
}

function checkReadable(
  { name: file }: WeightFile,
  { name, dtype }: StoredTensor,
  isQuantized: boolean,
): void {
  if (floatTypes.includes(dtype) || (dtype === 'I8' && isQuantized)) return;
  const wrong = `${file}: the tensor '${name}' is stored as ${dtype}`;
  if (dtype === 'I8') fail('bad_checkpoint', `${wrong}, but config.json has no quantization_config`);
  fail('bad_checkpoint', `${wrong}; weights are ${floatTypes.join(', ')}`);
}

/** Writes as much of the piece as belongs to the part. */
async function writePart(
  part: Slice,
  { tensor, first, bytes }: TensorPiece,
  { host, weights }: Engine,
): Promise<void> {
  const size = elementBytes(tensor);
  const begin = part.firstRow * elements(tensor.shape.slice(1));
  const from = Math.max(first, begin);
  const to = Math.min(first + bytes.length / size, begin + elements(part.shape));
  if (from >= to) return;
  const own = bytes.subarray((from - first) * size, (to - first) * size);
  await host.call(weights, 'write', part.name, from - begin, own);
}

function bySource(slices: readonly Slice[]): Map<string, Slice[]> {
  const groups = new Map<string, Slice[]>();
  for (const slice of slices) {
    const group = groups.get(slice.from);
    if (group) group.push(slice);
    else groups.set(slice.from, [slice]);
  }
  return groups;
}
