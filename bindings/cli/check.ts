/** `transformer-wasm check`. */

import { UsageError, type Values } from './arguments.js';
import { readExpectedFile } from './expected_file.js';
import { type Line, makeReceipt, type Receipt, type Tolerances } from './receipt.js';
import { withFolder } from './run_model.js';
import { printJson, printLines } from './terminal.js';

export async function check([folder, file, ...more]: readonly string[], values: Values): Promise<void> {
  if (folder === undefined || file === undefined || more.length > 0) {
    throw new UsageError(
      'check takes two arguments: the folder of a model, and a safetensors file of inputs and expected results',
    );
  }
  const tolerances = {
    states: toleranceOf('tolerance', values.tolerance, 5e-5),
    attentions: toleranceOf('attention-tolerance', values['attention-tolerance'], 1e-5),
  };
  const expected = await readExpectedFile(file);
  // The expected results are computed in floating point, even for weights that are stored in 8 bits.
  const inFloats = { ...values, dtype: 'f32' };
  const receipt = await withFolder(folder, inFloats, (model) => makeReceipt(model, expected, tolerances));
  if (receipt.lines.length === 0) throw new Error(`${file} contains no results to compare with`);
  if (values.json) printJson(receipt);
  else printLines(asText(receipt, tolerances));
  if (receipt.firstDeparture !== null) process.exitCode = 1;
}

function toleranceOf(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (value >= 0 && text !== '') return value;
  throw new UsageError(`--${name} must be a number, at least 0, got '${text}'`);
}

function asText(
  { lines, firstDeparture, firstLayer, notCompared }: Receipt,
  { states, attentions }: Tolerances,
): string[] {
  const width = Math.max(...lines.map(({ name }) => name.length), 'tensor'.length);
  const shapes = lines.map(({ shape }) => `[${shape.join(', ')}]`);
  const shapeWidth = Math.max(...shapes.map((shape) => shape.length), 'shape'.length);
  const row = (name: string, shape: string, difference: string, verdict: string) =>
    `${name.padEnd(width)}  ${shape.padEnd(shapeWidth)}  ${difference.padStart(10)}  ${verdict}`.trimEnd();
  const largest = lines.reduce((most, { difference }) => Math.max(most, difference ?? 0), 0);
  const verdict =
    firstDeparture === null
      ? `All ${lines.length} agree; the largest difference is ${largest.toExponential(1)}.`
      : `The first difference beyond the tolerance is in ${firstDeparture}: check ${firstLayer}.`;
  return [
    row('tensor', 'shape', 'difference', ''),
    ...lines.map((line, i) =>
      row(line.name, shapes[i] ?? '', differenceOf(line), line.departs ? 'departs' : ''),
    ),
    '',
    ...(notCompared.length > 0 ? [`Not compared: ${notCompared.join(', ')}`] : []),
    `Tolerance: ${states}; for attention weights: ${attentions}.`,
    verdict,
  ];
}

const differenceOf = ({ difference }: Line) =>
  difference === null ? 'missing' : difference.toExponential(1);
