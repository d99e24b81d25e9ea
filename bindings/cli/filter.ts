/**
 * A command as a filter: lines in, a line out for each, in order. Lines are computed in batches. A line that fails gives an
 * error record and the rest goes on, so that one bad line does not cost a corpus.
 */

import { messageOf, TransformerError, type TransformerErrorCode } from '../values/errors.js';
import type { Values } from './arguments.js';
import { type Line, linesOf } from './lines.js';

/** What a command does with its inputs. */
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

/** Lines per batch. */
const atOnce = 32;

/** What a line asks for: `input`, with the other fields of its object, which the result keeps. */
interface Asked {
  readonly line: Line;
  readonly input: unknown;
  readonly others: object;
}

/** What becomes of a line. */
type Outcome<Result> =
  | { readonly kind: 'empty' }
  | { readonly kind: 'result'; readonly asked: Asked; readonly result: Result }
  | { readonly kind: 'error'; readonly line: Line; readonly others: object; readonly error: unknown };

/**
 * Runs until standard input ends. Errors go to the output as records (`--json`), or else as messages to standard error, with an
 * empty line in the output.
 */
export async function filter<Result>(work: Work<Result>, { json, jsonl }: Values): Promise<void> {
  const isJson = json === true || jsonl === true;
  const counts = { all: 0, failed: 0 };
  for await (const lines of linesOf(process.stdin))
    for (let begin = 0; begin < lines.length; begin += atOnce) {
      const batch = lines.slice(begin, begin + atOnce);
      const outcomes = await compute(work, batch, jsonl === true);
      counts.all += batch.length;
      counts.failed += outcomes.filter(({ kind }) => kind === 'error').length;
      await write(
        outcomes.map((outcome) => `${isJson ? asJson(work, outcome) : asText(work, outcome)}\n`).join(''),
      );
    }
  if (counts.failed > 0)
    process.stderr.write(`transformer-wasm: ${counts.failed} of ${counts.all} lines failed\n`);
}

async function compute<Result>(
  work: Work<Result>,
  lines: readonly Line[],
  isJsonIn: boolean,
): Promise<Outcome<Result>[]> {
  const outcomes = lines.map((line) => read<Result>(work, line, isJsonIn));
  const asked = outcomes.flatMap((outcome) => ('kind' in outcome ? [] : [outcome]));
  const made = await results(work, asked);
  return outcomes.map((outcome) => ('kind' in outcome ? outcome : (made.shift() as Outcome<Result>)));
}

/** A line's input; an outcome if there is nothing to compute. */
function read<Result>({ field }: Work<Result>, line: Line, isJsonIn: boolean): Asked | Outcome<Result> {
  const failed = (others: object, message: string): Outcome<Result> => ({
    kind: 'error',
    line,
    others,
    error: new TransformerError('invalid_argument', message),
  });
  if (line.isCut) return failed({}, 'the line is too long');
  if (line.text.trim() === '') return { kind: 'empty' };
  if (!isJsonIn) return { line, input: line.text, others: {} };
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    return failed({}, `the line is not JSON: ${messageOf(error)}`);
  }
  if (typeof value === 'string') return { line, input: value, others: {} };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return failed({}, `the line must be a JSON object with the field '${field}'`);
  const { [field]: input, ...others } = value as Record<string, unknown>;
  return input === undefined ? failed(others, `the object has no field '${field}'`) : { line, input, others };
}

/** Where a batch fails, its lines are computed one by one, to find those that are to blame. */
async function results<Result>(work: Work<Result>, asked: readonly Asked[]): Promise<Outcome<Result>[]> {
  if (asked.length === 0) return [];
  try {
    const found = await work.run(asked.map(({ input }) => input));
    return asked.map((one, i) => ({ kind: 'result', asked: one, result: found[i] as Result }));
  } catch (error) {
    if (!isOfLine(error)) throw error;
    const [only] = asked;
    if (asked.length === 1 && only) return [{ kind: 'error', line: only.line, others: only.others, error }];
    const single: Outcome<Result>[] = [];
    for (const one of asked) single.push(...(await results(work, [one])));
    return single;
  }
}

/** Whether an error is about the input, so that other lines can succeed. */
const isOfLine = (error: unknown): boolean =>
  error instanceof TransformerError &&
  !(['disposed', 'internal'] as TransformerErrorCode[]).includes(error.code);

function asJson<Result>({ json, field }: Work<Result>, outcome: Outcome<Result>): string {
  if (outcome.kind === 'empty') return '';
  if (outcome.kind === 'result') {
    const { input, others } = outcome.asked;
    return JSON.stringify({ ...others, ...json(outcome.result, input) });
  }
  const { line, others, error } = outcome;
  const code = error instanceof TransformerError ? error.code : 'internal';
  const input = Object.keys(others).length > 0 ? others : { [field]: line.text.slice(0, 200) };
  return JSON.stringify({ ...input, line: line.number, error: { code, message: messageOf(error) } });
}

function asText<Result>({ text }: Work<Result>, outcome: Outcome<Result>): string {
  if (outcome.kind === 'result') return text(outcome.result).replace(/\s*\n\s*/g, ' ');
  if (outcome.kind === 'error')
    process.stderr.write(`transformer-wasm: line ${outcome.line.number}: ${messageOf(outcome.error)}\n`);
  return '';
}

/** Waits for a slow reader instead of keeping what it has not read. */
async function write(block: string): Promise<void> {
  if (process.stdout.write(block)) return;
  await new Promise<void>((resolve) => {
    process.stdout.once('drain', resolve);
  });
}
