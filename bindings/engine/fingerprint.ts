/**
 * A hash of computed numbers: equal bits have equal hashes. The same build of the engine gives the same bits for any
 * number of threads, batch and padding, with or without the cache or a worker, in every browser.
 */

import type { Call } from './calls.js';

/** FNV-1a over the bytes, as 16 hexadecimal digits. */
export function hashOf(bytes: Iterable<Uint8Array>): string {
  let hash = 0xcbf29ce484222325n;
  for (const piece of bytes)
    for (const byte of piece) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash.toString(16).padStart(16, '0');
}

/** The hash of a small attention, which uses every kind of kernel. It differs between the instruction sets. */
export function fingerprint(module: object, answer: (call: Call) => unknown): string {
  if (!('layerNorm' in module)) return ''; // that of training
  const time = 33;
  const width = 20;
  // Multiples of 1/64: exact in every environment, unlike Math.sin.
  const numbers = (count: number, step: number) =>
    Float32Array.from({ length: count }, (_, i) => (((i * step) % 127) - 63) / 64);
  const matrix = (step: number) => ({ data: numbers(time * width, step), shape: [time, width] });
  const call = (name: string, ...args: unknown[]) => answer({ kind: 'call', name, args });
  const results = [
    call('scaledDotProductAttention', matrix(7), matrix(11), matrix(13), {
      isCausal: true,
      needWeights: true,
    }),
    call('layerNorm', matrix(17), {}),
    call('positionalEncoding', width, { maxLength: time }),
  ];
  return hashOf(results.flatMap(bytesIn));
}

/** The bytes of all typed arrays in a result, in their order. */
function bytesIn(value: unknown): Uint8Array[] {
  if (value instanceof Float32Array)
    return [new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(bytesIn) : [];
}
