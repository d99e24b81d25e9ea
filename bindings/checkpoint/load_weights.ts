/** Streams tensors from a file into the engine, piece by piece, so that the weights never exist twice. */

import { fail } from '../engine/errors.js';
import type { Handle, Host } from '../engine/host.js';
import { dtypeBytes, type StoredTensor } from './safetensors.js';
import type { Slice } from './torch_names.js';
import type { WeightFile } from './weight_file.js';

/** What the engine can read, a superset of what models are stored in for floating point. */
const readable = ['F32', 'F16', 'BF16', 'F64'];

/** Bytes on their way at a time; a multiple of every element's size. */
const pieceBytes = 4 << 20;

export interface WeightTarget {
  readonly host: Host;
  /** The engine's `Weights`. */
  readonly weights: Handle;
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes of the file read so far. */
  readonly onBytes?: (loaded: number) => void;
}

/**
 * Reads the whole file and declares and fills every slice of its tensors. What no slice wants is passed over.
 *
 * @throws TransformerError `bad_checkpoint` that names file and tensor; the signal's reason.
 */
export async function loadWeights(
  file: WeightFile,
  slices: readonly Slice[],
  target: WeightTarget,
): Promise<void> {
  const wanted = bySource(slices);
  for (const tensor of file.tensors) {
    target.signal?.throwIfAborted();
    const parts = wanted.get(tensor.name);
    if (parts) await loadTensor(file, tensor, parts, target);
    else await file.reader.skip(tensor.end - tensor.begin, `the tensor '${tensor.name}'`);
    target.onBytes?.(file.reader.position);
  }
  if (!(await file.reader.atEnd())) fail('bad_checkpoint', `${file.name} goes on after its last tensor`);
}

async function loadTensor(
  { name: file, reader }: WeightFile,
  tensor: StoredTensor,
  parts: readonly Slice[],
  { host, weights, signal, onBytes }: WeightTarget,
): Promise<void> {
  const { name, dtype, end } = tensor;
  if (!readable.includes(dtype)) {
    fail(
      'bad_checkpoint',
      `${file}: the tensor '${name}' is stored as ${dtype}; weights are ${readable.join(', ')}`,
    );
  }
  for (const part of parts) await host.call(weights, 'declare', part.name, [...part.shape], dtype);
  const size = dtypeBytes.get(dtype) ?? 1;
  const spans = parts.map((part) => spanOf(part, tensor));
  for (let first = 0; reader.position < end; ) {
    signal?.throwIfAborted();
    const piece = await reader.read(Math.min(pieceBytes, end - reader.position), `the tensor '${name}'`);
    const last = first + piece.length / size;
    for (const { part, begin, end } of spans) {
      const from = Math.max(first, begin);
      const to = Math.min(last, end);
      if (from >= to) continue;
      const bytes = piece.subarray((from - first) * size, (to - first) * size);
      await host.call(weights, 'write', part.name, from - begin, bytes);
    }
    first = last;
    onBytes?.(reader.position);
  }
}

/** Which elements of the tensor a slice is. */
function spanOf(part: Slice, { shape }: StoredTensor): { part: Slice; begin: number; end: number } {
  const rowElements = product(shape.slice(1));
  const begin = part.firstRow * rowElements;
  return { part, begin, end: begin + product(part.shape) };
}

function bySource(slices: readonly Slice[]): Map<string, Slice[]> {
  const groups = new Map<string, Slice[]>();
  for (const slice of slices) groups.set(slice.from, [...(groups.get(slice.from) ?? []), slice]);
  return groups;
}

const product = (sizes: readonly number[]) => sizes.reduce((all, size) => all * size, 1);
