// Hashes of what every reference model computes, output by output: a change of the engine that is meant to keep the bits keeps
// them all. They hold for SIMD128, whose results are the same on every machine.
// node tests/lib/reference_bits.mjs [--write]: prints those that differ from the stored ones, or stores them all.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hashOf } from '../../build/modules/engine/fingerprint.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { caseNames, readFamilyCase } from './families.mjs';

const file = new URL('../fixtures/reference_bits.json', import.meta.url);

/** Of each case, a hash for each output. */
export const storedBits = () => JSON.parse(readFileSync(file, 'utf8'));

const bytesOf = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);

/** The tensors in an output, by their paths. */
function tensorsIn(value, path = '') {
  if (ArrayBuffer.isView(value?.data)) return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => tensorsIn(inner, path ? `${path}.${name}` : name));
}

/** The hashes of one pass of a case: of each output that is a tensor, and of each list of such. */
export async function bitsOf(engine, name) {
  const given = readFamilyCase(name);
  const model = await loadModel(given.files(), { engine });
  try {
    const output = await model.forward(given.inputs, { outputAttentions: true, outputHiddenStates: true });
    const entries = Object.entries(output).flatMap(([field, value]) => {
      const tensors = tensorsIn(value).map(([, tensor]) => bytesOf(tensor.data));
      return tensors.length > 0 ? [[field, hashOf(tensors)]] : [];
    });
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  } finally {
    await model.dispose();
  }
}

/** Those of all cases. */
export async function allBits(options) {
  const engine = await createEngine({ simd: 'simd128', ...options });
  const bits = {};
  for (const name of caseNames) bits[name] = await bitsOf(engine, name);
  await engine.dispose();
  return bits;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bits = await allBits({ threads: 2 });
  if (process.argv.includes('--write')) {
    writeFileSync(file, `${JSON.stringify(bits, null, 2)}\n`);
  } else {
    const stored = storedBits();
    for (const [name, outputs] of Object.entries(bits))
      for (const [output, hash] of Object.entries(outputs))
        if (stored[name]?.[output] !== hash) console.log(`${name}: ${output} differs`);
  }
}
