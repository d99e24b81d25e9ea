/**
 * A command as a filter: lines in, a line out for each, in order. Lines are computed in batches. A line that fails
 * gives an error record and does not affect the others.
 */

import { isJsonObject } from '../files/json_object.js';
import { fail, messageOf, TransformerError, type TransformerErrorCode } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import type { filtering, json, ValuesOf } from './flags.js';
import { parseLine } from './json_line.js';
import { type Line, linesOf } from './lines.js';
import { Tally } from './tally.js';
import { printAll, say } from './terminal.js';

/** A command's work on its inputs. */
export interface Work<Result> {
  /** The field of an object in JSON Lines that holds the input. */
  readonly field: string;
  /** The results of several inputs, in order; an input is a line, or the value of the field. */
  run(inputs: readonly unknown[]): Promise<readonly Result[]>;
  /** A result as a line of text. */
  text(result: Result): string;
  /** A result as fields of a JSON object. */
  json(result: Result, input: unknown): object;
}

/** The flags that a filter obeys. */
export type FilterValues = ValuesOf<typeof filtering & { json: typeof json }>;

interface Format {
  readonly isJsonIn: boolean;
  readonly isJsonOut: boolean;
}

/** Of a line that is no object, its record has so much. */
const shownLetters = 200;

/** Lines per batch. */
const atOnce = 32;

/** The fields of a line's object. */
type Fields = Readonly<Record<string, unknown>>;

/** The request of a line. */
interface Asked {
  readonly line: Line;
  readonly input: unknown;
  readonly given: Fields;
}

/** The outcome of a line. */
type Outcome =
  | { readonly kind: 'empty'; readonly line: Line }
  | { readonly kind: 'result'; readonly written: string }
  | { readonly kind: 'error'; readonly line: Line; readonly given: Fields; readonly error: unknown };

/**
 * Runs until standard input ends. Errors go to the output as records (`--json`), or else as messages to standard error,
 * with an empty line in the output. The exit code is 1 where some lines failed, and 2 where all did.
 */
export async function filter<Result>(work: Work<Result>, values: FilterValues): Promise<void> {
  const { json, jsonl } = values;
  const format = { isJsonIn: jsonl === true, isJsonOut: json === true || jsonl === true };
  const tally = new Tally();
  for await (const { lines, bytes } of linesOf(process.stdin, values['first-line'] ?? 1)) {
    for (let begin = 0; begin < lines.length; begin += atOnce) {
      const outcomes = await compute(work, lines.slice(begin, begin + atOnce), format);
      await printAll(outcomes.map((outcome) => `${written(outcome, format)}\n`).join(''));
      tally.add(outcomes);
    }
    tally.show(bytes);
  }
  tally.end();
}

/** The text that a command takes and nothing else: a field of JSON Lines can hold anything. */
export const asText = (input: unknown, field: string): string =>
  typeof input === 'string'
    ? input
    : fail('invalid_argument', `the field '${field}' must be a string, got ${describe(input)}`);

async function compute<Result>(
  work: Work<Result>,
  lines: readonly Line[],
  format: Format,
): Promise<Outcome[]> {
  const outcomes = lines.map((line) => read(work.field, line, format));
  const asked = outcomes.flatMap((outcome) => ('kind' in outcome ? [] : [outcome]));
  const made = await results(work, asked, format);
  return outcomes.map((outcome) => ('kind' in outcome ? outcome : (made.shift() as Outcome)));
}

/** A line's input; an outcome if there is nothing to compute. */
function read(field: string, line: Line, { isJsonIn }: Format): Asked | Outcome {
  const asItIs = { [field]: line.text.slice(0, shownLetters) };
  if (!line.isCut && line.text.trim() === '') return { kind: 'empty', line };
  try {
    if (line.isCut) fail('invalid_argument', 'the line is too long');
    if (!line.isText) fail('invalid_argument', 'the line is not text in UTF-8');
    const value = isJsonIn ? parseLine(line.text) : line.text;
    if (typeof value === 'string') return { line, input: value, given: { [field]: value } };
    if (!isJsonObject(value))
      return fail('invalid_argument', `the line must be a JSON object with the field '${field}'`);
    const input = value[field];
    if (input !== undefined) return { line, input, given: value };
    const error = new TransformerError('invalid_argument', `the object has no field '${field}'`);
    return { kind: 'error', line, given: value, error };
  } catch (error) {
    return { kind: 'error', line, given: asItIs, error };
  }
}

/** Where a batch fails, its lines are computed one by one, to find those that are to blame. */
async function results<Result>(
  work: Work<Result>,
  asked: readonly Asked[],
  format: Format,
): Promise<Outcome[]> {
  if (asked.length === 0) return [];
  try {
    const found = await work.run(asked.map(({ input }) => input));
    return asked.map((one, i) => ({
      kind: 'result',
      written: resultOf(work, one, { result: found[i] as Result, ...format }),
    }));
  } catch (error) {
    if (!isOfLine(error)) throw error;
    const [only] = asked;
    if (asked.length === 1 && only) return [{ kind: 'error', line: only.line, given: only.given, error }];
    const single: Outcome[] = [];
    for (const one of asked) single.push(...(await results(work, [one], format)));
    return single;
  }
}

/** Whether other lines can succeed: unless the engine is gone. */
const isOfLine = (error: unknown): boolean =>
  !(
    error instanceof TransformerError &&
    (['disposed', 'internal'] as TransformerErrorCode[]).includes(error.code)
  );

/** A result as its line of output. */
function resultOf<Result>(
  { field, json, text }: Work<Result>,
  { input, given }: Asked,
  { result, isJsonOut }: Format & { readonly result: Result },
): string {
  if (!isJsonOut) return text(result).replace(/\s*\n\s*/g, ' ');
  // An earlier run's record of the line no longer holds.
  const { [field]: _, error: __, ...kept } = given;
  return JSON.stringify({ ...kept, ...json(result, input) });
}

/** The output for a line. */
function written(outcome: Outcome, { isJsonOut }: Format): string {
  if (outcome.kind === 'result') return outcome.written;
  const { number } = outcome.line;
  if (outcome.kind === 'empty') return isJsonOut ? JSON.stringify({ line: number, empty: true }) : '';
  if (isJsonOut) return recordOf(outcome);
  say(`line ${number}: ${messageOf(outcome.error)}`);
  return '';
}

/** A line that failed, as a record: as it was given, so that it can be tried again. */
function recordOf({ line, given, error }: Outcome & { readonly kind: 'error' }): string {
  const code = error instanceof TransformerError ? error.code : 'internal';
  const { error: _, ...kept } = given;
  return JSON.stringify({ ...kept, line: line.number, error: { code, message: messageOf(error) } });
}
