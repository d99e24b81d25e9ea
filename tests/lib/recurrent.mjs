// The recurrent modules and models of tests/fixtures/recurrent, with PyTorch's results.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSafetensors } from './safetensors.mjs';

const folder = new URL('../fixtures/recurrent/', import.meta.url);
const cases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

export const pathOf = (name) => fileURLToPath(new URL(name, folder));

export function readRecurrent(name) {
  const file = (path) => readFileSync(new URL(`${name}/${path}`, folder));
  const tensors = (path) => Object.fromEntries(readSafetensors(file(path)));
  return {
    name,
    config: JSON.parse(file('config.json')),
    weights: tensors('model.safetensors'),
    expected: tensors('expected.safetensors'),
  };
}

const all = cases.map(({ name }) => readRecurrent(name));
export const layerCases = all.filter(({ config }) => 'input_size' in config);
export const modelCases = all.filter(({ config }) => config.model_type === 'recurrent');

/** The rows of ids [batch, time], without their padding (0) at the end. */
export const rowsOf = ({ data, shape: [batch, time] }) =>
  Array.from({ length: batch }, (_, i) =>
    Array.from(data.slice(i * time, (i + 1) * time)).filter((id) => id !== 0),
  );
