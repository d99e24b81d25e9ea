// The part of the protocol buffer wire format that ONNX files need: varints, floats and length-delimited fields.

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

export function concat(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export const int = (field, value) => concat([varint(field << 3), varint(value)]);

export const float = (field, value) =>
  concat([varint((field << 3) | 5), new Uint8Array(Float32Array.of(value).buffer)]);

export const bytes = (field, value) => concat([varint((field << 3) | 2), varint(value.length), value]);

export const text = (field, value) => bytes(field, new TextEncoder().encode(value));

export const message = (field, ...parts) => bytes(field, concat(parts));
