// Reads the reference data and compares results with it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readSafetensors } from './safetensors.mjs';

const folder = new URL('../fixtures/reference/', import.meta.url);

const readJson = (path) => JSON.parse(readFileSync(new URL(path, folder)));

export const workedExamples = () => readJson('worked-examples/examples.json');

/** A case: its config, weights, inputs and expected values; `get` returns a tensor with the batch axis first. */
export function readCase(name) {
  const about = readJson(`${name}/expected.json`);
  const tensors = readSafetensors(readFileSync(new URL(`${name}/expected.safetensors`, folder)));
  const lengthFirst = about.layout?.startsWith('[length') ?? false;
  return {
    about,
    tensors,
    raw: (key) => tensors.get(key),
    get: (key) => (lengthFirst ? swapAxes(tensors.get(key)) : tensors.get(key)),
    get config() {
      return readJson(`${name}/config.json`);
    },
    get weights() {
      return Object.fromEntries(readSafetensors(readFileSync(new URL(`${name}/model.safetensors`, folder))));
    },
  };
}

/** [a, b, width] -> [b, a, width] */
export function swapAxes({ data, shape: [a, b, width] }) {
  const swapped = new Float32Array(data.length);
  for (let i = 0; i < a; i++)
    for (let j = 0; j < b; j++)
      swapped.set(data.subarray((i * b + j) * width, (i * b + j + 1) * width), (j * a + i) * width);
  return { data: swapped, shape: [b, a, width] };
}

/** Inverts PyTorch's boolean mask, in which true = blocked. */
export const allowed = ({ data, shape }) => ({ data: Array.from(data, (blocked) => !blocked), shape });

/** Asserts shape and numbers; `rows` (1 = compare) selects among the vectors along the last axis. */
export function assertClose(actual, expected, tolerance, what, rows) {
  assert.deepEqual(actual.shape, expected.shape, `${what}: shape`);
  const width = expected.shape.at(-1);
  let worst = 0;
  let compared = 0;
  for (let i = 0; i < expected.data.length; i++) {
    if (rows && !rows[Math.floor(i / width)]) continue;
    const difference = Math.abs(actual.data[i] - expected.data[i]);
    assert.ok(
      difference <= tolerance,
      `${what}: element ${i} is ${actual.data[i]}, expected ${expected.data[i]}`,
    );
    worst = Math.max(worst, difference);
    compared += 1;
  }
  assert.ok(compared > 0, `${what}: nothing was compared`);
  return worst;
}

/** Asserts equal bits: comparing numbers would not distinguish 0 from -0. */
export function assertSameBits(actual, expected, what) {
  assert.deepEqual(actual.shape, expected.shape, `${what}: shape`);
  const bits = ({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (Buffer.compare(bits(actual), bits(expected)) === 0) return;
  const at = actual.data.findIndex((value, i) => !Object.is(value, expected.data[i]));
  assert.fail(`${what}: element ${at} is ${actual.data[at]}, expected exactly ${expected.data[at]}`);
}

/** Asserts equal results of a pass: tensors, lists and objects of them (of a tower), the numbers of a picture's patches. */
export function assertSameOutputs(actual, expected, where = 'output') {
  if (expected?.data) return assertSameBits(actual, expected, where);
  if (typeof expected !== 'object') return assert.equal(actual, expected, where);
  assert.deepEqual(Object.keys(actual), Object.keys(expected), where);
  for (const [name, value] of Object.entries(expected))
    assertSameOutputs(actual[name], value, `${where}.${name}`);
}
