/** `transformer-wasm check`. */

import { command } from './command.js';
import { readExpectedFile } from './expected_file.js';
import { allJson, engineFlags, type Flag, UsageError } from './flags.js';
import { type Line, makeReceipt, type Receipt, type Tolerances } from './receipt.js';
import { withFolder } from './run_model.js';
import { printJson, printLines } from './terminal.js';

const tolerance = (help: string): Flag<number> => ({
  value: 'X',
  help,
  read(given, name) {
    const read = Number(given);
    if (read >= 0 && given !== '') return read;
    throw new UsageError(`--${name} must be a number, at least 0, got '${given}'`);
  },
});

export const check = command({
  args: 'DIR FILE',
  summary: "compares a model's results with expected ones",
  about: `Runs the model of a folder on the inputs in FILE, a safetensors file, and compares its results with those in FILE, tensor
by tensor in the order of computation. Reports the largest difference of each tensor, and the first one beyond the
tolerance. Padding is ignored. Exit code 1 if any tensor differs by more than the tolerance.

FILE contains inputs and results under the names of the Python library: input_ids, attention_mask, token_type_ids,
decoder_input_ids, pixel_values, input_features; encoder_hidden_states.0, decoder_attentions.1, cross_attentions.1,
hidden_states.2, attentions.0, encoder_last_hidden_state, last_hidden_state, pooler_output, logits. Other inner tensors
are named by their paths: decoder.layers.0.cross_attn.queries.`,
  flags: {
    tolerance: tolerance('tolerance for logits and hidden states; default: 5e-5'),
    'attention-tolerance': tolerance('tolerance for attention weights; default: 1e-5'),
    ...engineFlags,
    json: allJson,
  },
  examples: ['check path/to/model expected.safetensors'],
  async run([folder, file, ...more], values) {
    if (folder === undefined || file === undefined || more.length > 0) {
      throw new UsageError(
        'check takes two arguments: the folder of a model, and a safetensors file of inputs and expected results',
      );
    }
    const tolerances = {
      states: values.tolerance ?? 5e-5,
      attentions: values['attention-tolerance'] ?? 1e-5,
    };
    const expected = await readExpectedFile(file);
    // The expected results are computed in floating point, even for weights that are stored in 8 bits.
    const inFloats = { ...values, dtype: 'f32' } as const;
    const receipt = await withFolder(folder, inFloats, (model) => makeReceipt(model, expected, tolerances));
    if (receipt.lines.length === 0) throw new Error(`${file} contains no results to compare with`);
    if (values.json) printJson(receipt);
    else printLines(asText(receipt, tolerances));
    if (receipt.firstDeparture !== null) process.exitCode = 1;
  },
});

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
