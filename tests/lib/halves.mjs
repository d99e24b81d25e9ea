// Weights as numbers of 16 bits, rounded towards zero, and the same numbers as float32.

const bitsOf = (data) => new Uint32Array(data.buffer, data.byteOffset, data.length);

const narrow = {
  BF16: (data) => Uint16Array.from(bitsOf(data), (bits) => bits >>> 16),
  F16: (data) =>
    Uint16Array.from(bitsOf(data), (bits, i) => {
      const exponent = ((bits >>> 23) & 0xff) - 112;
      const magnitude =
        exponent > 0 ? (exponent << 10) | ((bits >>> 13) & 0x3ff) : Math.abs(data[i]) * 2 ** 24;
      return ((bits >>> 16) & 0x8000) | magnitude;
    }),
};

const widen = {
  BF16: (halves) => new Float32Array(Uint32Array.from(halves, (bits) => bits << 16).buffer),
  F16: (halves) =>
    Float32Array.from(halves, (bits) => {
      const [sign, exponent, mantissa] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
      return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25));
    }),
};

/** Tensors of float32 in that type; others as they are. */
export const narrowed = (tensors, dtype) =>
  new Map(
    [...tensors].map(([name, { dtype: stored, shape, data }]) => [
      name,
      data instanceof Float32Array
        ? { dtype, shape, data: narrow[dtype](data) }
        : { dtype: stored, shape, data },
    ]),
  );

/** The same numbers as float32. */
export const widened = (tensors) =>
  new Map(
    [...tensors].map(([name, tensor]) => {
      const { dtype, shape, data } = tensor;
      return [name, widen[dtype] ? { dtype: 'F32', shape, data: widen[dtype](data) } : tensor];
    }),
  );
