/** Safetensors files that fit into memory. */

import type { TensorData } from '../values/tensor.js';
import { type TensorPlace, writeHeader } from './safetensors_header.js';

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** A safetensors file of float32 tensors, and of bytes that follow them. */
export function safetensorsOf(
  tensors: readonly (TensorData & { readonly name: string })[],
  bytes: Readonly<Record<string, Uint8Array>> = {},
): Uint8Array {
  const places: TensorPlace[] = [
    ...tensors.map(({ name, shape }) => ({ name, shape, dtype: 'F32' as const })),
    ...Object.entries(bytes).map(([name, { length }]) => ({ name, shape: [length], dtype: 'U8' as const })),
  ];
  const { header, begins, end } = writeHeader(places);
  const written = new Uint8Array(end);
  written.set(header);
  const put = (name: string, data: Uint8Array) => written.set(data, begins.get(name));
  for (const { name, data } of tensors) put(name, bytesOf(data));
  for (const [name, data] of Object.entries(bytes)) put(name, data);
  return written;
}
