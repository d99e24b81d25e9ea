/** `transformer-wasm inspect`. */

import { type Inspection, inspectCheckpoint } from '../checkpoint/inspect_checkpoint.js';
import type { InspectedTensor } from '../checkpoint/inspected_tensors.js';
import { createEngine } from '../layers/engine.js';
import { loadModel } from '../model/load_model.js';
import { TransformerError } from '../values/errors.js';
import { command } from './command.js';
import { allJson, isSet, UsageError } from './flags.js';
import { printJson, printLines } from './terminal.js';

export const inspect = command({
  args: 'DIR',
  summary: 'describes the model in a folder',
  about: `Describes the model in a folder (or at a URL): its family and sizes, its tensors and which of them are used, its
tokenizer, and anything that would prevent it from being loaded, such as tensors that are missing or have the wrong
shape: then the exit code is 1. Reads only the headers of the weights.`,
  flags: {
    check: isSet('also load the model, which finds tensors that hold NaN or end too early'),
    json: allJson,
  },
  examples: ['inspect path/to/model'],
  async run([folder, ...more], values) {
    if (folder === undefined || more.length > 0)
      throw new UsageError('inspect takes one argument: a folder or URL');
    const inspection = await inspectCheckpoint(folder);
    const checked = values.check && inspection.refusals.length === 0 ? await load(folder) : null;
    const refusals = [...inspection.refusals, ...(checked?.refusals ?? [])];
    const result = { ...inspection, refusals, isChecked: checked !== null };
    if (values.json) printJson(result);
    else printLines(asText(result));
    if (refusals.length > 0) process.exitCode = 1;
  },
});

/** Loads the weights to find out whether the engine accepts them. */
async function load(folder: string): Promise<{ refusals: string[] }> {
  const engine = await createEngine({ threads: 1 });
  try {
    await loadModel(folder, { engine });
    return { refusals: [] };
  } catch (error) {
    if (error instanceof TransformerError) return { refusals: [error.message] };
    throw error;
  } finally {
    await engine.dispose();
  }
}

function asText(inspection: Inspection & { isChecked: boolean }): string[] {
  const { folder, family, config, parameters, weights, tensors, tokenizer, refusals, isChecked } = inspection;
  const { unsupportedSettings, commit, sha256 } = inspection;
  const used = tensors.filter(({ becomes }) => becomes.length > 0);
  const unused = tensors.filter(({ becomes }) => becomes.length === 0);
  const number = (value: number) => value.toLocaleString('en');
  const facts = [
    ['folder', folder],
    ...(commit ? [['commit', commit] as const] : []),
    ['family', family ?? 'unknown'],
    ['parameters', number(parameters)],
    [
      'weights',
      weights
        ? `${weights.file}, ${weights.bytes === null ? '?' : number(weights.bytes)} bytes, ${weights.dtypes.join(', ')}`
        : 'none',
    ],
    ['tokenizer', tokenizer ? `${number(tokenizer.tokens)} tokens` : 'none; token ids in, token ids out'],
  ] as const;
  const verdict = isChecked
    ? 'The model can be loaded.'
    : 'Nothing in the headers prevents it from being loaded.';
  return [
    ...facts.map(([name, value]) => `${name.padEnd(12)}${value}`),
    ...section(
      'SHA-256, as the hub tells it',
      Object.entries(sha256).map(([name, hash]) => `${name}: ${hash}`),
    ),
    ...section(
      'config.json',
      Object.entries(config ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ),
    ...section(`${used.length} tensors used`, tensorLines(used)),
    ...section(`${unused.length} tensors not used`, tensorLines(unused)),
    ...section('Generation settings that are not supported', unsupportedSettings),
    '',
    ...(refusals.length > 0
      ? ['It cannot be loaded:', ...refusals.map((refusal) => `  ${refusal}`)]
      : [verdict]),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? ['', title, ...lines.map((line) => `  ${line}`)] : [];
}

function tensorLines(tensors: readonly InspectedTensor[]): string[] {
  const width = Math.max(0, ...tensors.map(({ name }) => name.length));
  return tensors.map(({ name, dtype, shape, isBuffer, scaleShape }) => {
    const scaled = scaleShape ? `  times a scale [${scaleShape.join(', ')}]` : '';
    const note = isBuffer ? '  (computed instead)' : scaled;
    return `${name.padEnd(width)}  ${dtype.padEnd(4)}  [${shape.join(', ')}]${note}`;
  });
}
