// Firefox's translation models among the fixtures, and files like theirs.

import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const folder = new URL('../fixtures/students/', import.meta.url);

export const expectedOf = (pair) =>
  JSON.parse(readFileSync(new URL(`${pair}/expected.json`, folder), 'utf8'));

/** The files of a pair by their names, unpacked. */
export function studentFiles(pair) {
  const names = readdirSync(new URL(`${pair}/`, folder)).filter((name) => name.endsWith('.gz'));
  return new Map(
    names.map((name) => [
      name.slice(0, -3),
      new Uint8Array(gunzipSync(readFileSync(new URL(`${pair}/${name}`, folder)))),
    ]),
  );
}

/** The same as they are stored, compressed, with what describes them. */
export function packedFiles(pair) {
  const names = readdirSync(new URL(`${pair}/`, folder)).filter((name) => name !== 'expected.json');
  return new Map(
    names.map((name) => [name, new Uint8Array(readFileSync(new URL(`${pair}/${name}`, folder)))]),
  );
}

export const modelName = (pair) => `model.${pair}.intgemm.alphas.bin`;

const float32 = 0x0404;
const intgemm8 = 0x4101;

/** The items of a Marian model file: { name, type, shape, data }. */
export function readItems(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u64 = (place) => Number(view.getBigUint64(place, true));
  const count = u64(8);
  const heads = Array.from({ length: count }, (_, i) => [0, 8, 16, 24].map((at) => u64(16 + 32 * i + at)));
  let place = 16 + 32 * count;
  const names = heads.map(([length]) => {
    const name = new TextDecoder().decode(bytes.subarray(place, place + length - 1));
    place += length;
    return name;
  });
  const shapes = heads.map(([, , axes]) =>
    Array.from({ length: axes }, () => {
      place += 4;
      return view.getInt32(place - 4, true);
    }),
  );
  place += 8 + u64(place);
  return heads.map(([, type, , length], i) => {
    const data = bytes.subarray(place, place + length);
    place += length;
    return { name: names[i], type, shape: shapes[i], data };
  });
}

/** A model file of items, as Marian writes it. */
export function writeItems(items) {
  const u64 = (...numbers) => Buffer.from(BigUint64Array.from(numbers, BigInt).buffer);
  const named = items.map(({ name }) => Buffer.from(`${name}\0`));
  const head = Buffer.concat([
    u64(1, items.length),
    ...items.map(({ type, shape, data }, i) => u64(named[i].length, type, shape.length, data.length)),
    ...named,
    ...items.map(({ shape }) => Buffer.from(Int32Array.from(shape).buffer)),
  ]);
  const padding = 256 - ((head.length + 8) % 256);
  return new Uint8Array(
    Buffer.concat([head, u64(padding), Buffer.alloc(padding), ...items.map(({ data }) => data)]),
  );
}

const size = (shape) => shape.reduce((product, one) => product * one, 1);

/** The model with its matrices in float32, [in, out], as before they were quantised, but for what that lost. */
export function inFloats(bytes) {
  const items = readItems(bytes)
    .filter(({ name }) => !name.endsWith('_QuantMultA'))
    .map((item) => (item.type === intgemm8 ? dequantized(item) : item));
  return writeItems(items);
}

function dequantized({ name, shape, data }) {
  const count = size(shape);
  const scale = Math.fround(1 / new DataView(data.buffer, data.byteOffset).getFloat32(count, true));
  const integers = new Int8Array(data.buffer, data.byteOffset, count);
  const [rows, cols] = shape;
  const isTable = name.includes('Wemb');
  const floats = Float32Array.from({ length: count }, (_, i) => {
    const [row, col] = [Math.floor(i / cols), i % cols];
    return integers[isTable ? i : col * rows + row] * scale;
  });
  return { name, type: float32, shape, data: new Uint8Array(floats.buffer) };
}
