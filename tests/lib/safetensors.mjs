// Reads and writes safetensors files in tests: a naive twin of the package's own reader.

const elementBytes = { F64: 8, F32: 4, F16: 2, BF16: 2, I64: 8, I32: 4, I16: 2, I8: 1, U8: 1, BOOL: 1 };

/** @returns {Map<string, { dtype: string, shape: number[], data: ArrayLike<number> }>} */
export function readSafetensors(file) {
  const bytes = new Uint8Array(file); // a copy of its own: a Buffer may lie anywhere inside of a larger one
  const view = new DataView(bytes.buffer);
  const begin = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, begin)));
  const tensors = new Map();
  for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const raw = bytes.slice(begin + offsets[0], begin + offsets[1]).buffer;
    const data = {
      F32: () => new Float32Array(raw),
      F64: () => new Float64Array(raw),
      I64: () => Int32Array.from(new BigInt64Array(raw), Number),
      BOOL: () => new Uint8Array(raw),
      U8: () => new Uint8Array(raw),
      I8: () => new Int8Array(raw),
      I16: () => new Int16Array(raw),
      // As raw bits.
      F16: () => new Uint16Array(raw),
      BF16: () => new Uint16Array(raw),
    }[dtype]();
    tensors.set(name, { dtype, shape, data });
  }
  return tensors;
}

/** @param tensors name to { dtype?, shape, data }; `data` is a typed array with the dtype's bytes. */
export function writeSafetensors(tensors) {
  const header = { __metadata__: { format: 'pt' } };
  let offset = 0;
  for (const [name, { dtype = 'F32', shape, data }] of tensors) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  return joinFile(
    JSON.stringify(header),
    [...tensors.values()].map(({ data }) => data),
  );
}

/** A file with any header, valid or not. */
export function joinFile(header, parts = []) {
  const text = new TextEncoder().encode(header);
  const size = parts.reduce((sum, data) => sum + data.byteLength, 8 + text.length);
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  let at = 8 + text.length;
  for (const data of parts) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}

export const bytesOf = (dtype, shape) => shape.reduce((product, size) => product * size, elementBytes[dtype]);
