/** Values on their way to another thread: what is copied, what is moved, what is freed. */

import { SpareBuffers } from './spare_buffers.js';

/**
 * A copy of a value in which each typed array has its own buffer, of exactly its size, that can be transferred to
 * another thread: transferred as is, a view of a few numbers would take the whole file that it is part of along, and
 * callers would lose their arrays.
 */
export function copyToMove<T>(value: T, moved: ArrayBuffer[], spare = new SpareBuffers()): T {
  const copy = (from: unknown): unknown => {
    if (ArrayBuffer.isView(from)) return copyView(from, moved, spare);
    if (Array.isArray(from)) return from.map(copy);
    if (typeof from !== 'object' || from === null || isShared(from)) return from;
    return Object.fromEntries(Object.entries(from).map(([key, field]) => [key, copy(field)]));
  };
  return copy(value) as T;
}

/** Memory that the other thread shares, in place of a copy. */
const isShared = (value: object) =>
  (typeof WebAssembly === 'object' && value instanceof WebAssembly.Module) ||
  (typeof SharedArrayBuffer === 'function' && value instanceof SharedArrayBuffer);

/** Not `slice`: that of Node's Buffer does not copy. */
function copyView(view: ArrayBufferView, moved: ArrayBuffer[], spare: SpareBuffers): ArrayBufferView {
  const bytes = new Uint8Array(spare.take(view.byteLength));
  bytes.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  moved.push(bytes.buffer);
  if (view instanceof Float32Array) return new Float32Array(bytes.buffer);
  if (view instanceof Int32Array) return new Int32Array(bytes.buffer);
  return bytes;
}

/** The buffers of a result, which owns its numbers: they are transferred, not copied. */
export function buffersOf(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const field of Object.values(value)) buffersOf(field, found);
  }
  return found;
}

/**
 * Frees buffers that are no longer needed and have not been moved elsewhere. Without `transfer` (Node.js 20), this is
 * left to the garbage collector.
 */
export function release(value: unknown): void {
  for (const buffer of buffersOf(value) as Set<ArrayBuffer & { transfer?(bytes: number): ArrayBuffer }>)
    if (buffer.byteLength > 0) buffer.transfer?.(0);
}
