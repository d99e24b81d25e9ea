/** What a page and the worker that holds its engine say to each other. */

import type { Call } from './calls.js';
import type { MemoryUse } from './core.js';
import type { ErrorMessage } from './errors.js';
import type { Choice, Wanted } from './variant.js';

export type Request =
  | {
      readonly kind: 'open';
      readonly wanted: Wanted;
      readonly wasmUrl?: string;
      readonly wasmBinary?: Uint8Array;
    }
  | Call;

/** A request on its way; the answer bears the same number. */
export type Numbered = Request & { readonly id: number };

export type Reply = { readonly id: number; readonly memory: MemoryUse } & (
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ErrorMessage }
);

/** The answer to `open`. */
export interface Opened {
  readonly choice: Choice;
}

/**
 * A copy of a value in which every typed array has a buffer of its own, no longer than itself, that may be moved to
 * another thread: posted as they are, a view of a few numbers would take along the whole file that it lies in, and a
 * caller's array would be lost to him.
 */
export function copyToMove<T>(value: T, moved: ArrayBuffer[]): T {
  return copy(value, moved) as T;
}

function copy(value: unknown, moved: ArrayBuffer[]): unknown {
  if (ArrayBuffer.isView(value)) return copyView(value, moved);
  if (Array.isArray(value)) return value.map((element) => copy(element, moved));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, copy(field, moved)]));
}

/** Not by its own `slice`: that of Node's Buffer copies nothing. */
function copyView(view: ArrayBufferView, moved: ArrayBuffer[]): ArrayBufferView {
  const bytes = new Uint8Array(view.byteLength);
  bytes.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  moved.push(bytes.buffer);
  if (view instanceof Float32Array) return new Float32Array(bytes.buffer);
  if (view instanceof Int32Array) return new Int32Array(bytes.buffer);
  return bytes;
}

/** The buffers of a result, which owns its numbers: they are moved, not copied. */
export function buffersOf(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const field of Object.values(value)) buffersOf(field, found);
  }
  return found;
}

/** Frees the buffers of what is of no use any more. Where they cannot be given back (Node.js 20), the collector has to do. */
export function release(value: unknown): void {
  for (const buffer of buffersOf(value))
    (buffer as ArrayBuffer & { transfer?(bytes: number): ArrayBuffer }).transfer?.(0);
}
