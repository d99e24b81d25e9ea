/**
 * The one way out: everything that a command prints passes here. Names, words and results come from files and models of
 * strangers, and a terminal obeys the control characters in them.
 */

import { createInterface, type Interface } from 'node:readline/promises';
import { WriteStream } from 'node:tty';
import { printable, printableText } from './printable.js';
import { sentenceOf } from './system_error.js';

/** A result, to standard output: its bytes as they are for a program, without control characters for a terminal. */
export function print(text: string): boolean {
  const { stdout } = process;
  if (stdout.isTTY) clearStatus();
  return stdout.write(stdout.isTTY ? printableText(text) : text);
}

/** Like {@link print}; waits for a slow reader instead of keeping what it has not read. */
export async function printAll(text: string): Promise<void> {
  if (print(text)) return;
  await new Promise<void>((resolve) => {
    process.stdout.once('drain', resolve);
  });
}

/** A report, line by line: a name cannot pretend to be a line of its own. */
export function printLines(lines: readonly string[]): void {
  print(lines.map((line) => `${printable(line)}\n`).join(''));
}

/** An object, as a line of JSON. */
export function printJson(value: unknown): void {
  print(`${JSON.stringify(value)}\n`);
}

/** A piece of a line; on a terminal with colours, a background as dark as its shade, from 0 to 1, says. */
export interface Cell {
  readonly text: string;
  readonly shade?: number;
}

/** Prints lines of cells, without colours where the environment says so (`NO_COLOR`, `FORCE_COLOR`, `TERM`). */
export function printCells(lines: readonly (readonly Cell[])[]): void {
  const hasShades = process.stdout.isTTY === true && WriteStream.prototype.getColorDepth(process.env) >= 8;
  const shown = lines.map((cells) => cells.map((cell) => (hasShades ? shaded(cell) : cell.text)).join(''));
  if (!hasShades) print(shown.map((line) => `${line}\n`).join(''));
  else process.stdout.write(shown.map((line) => `${line}\n`).join(''));
}

/** Of the 256 colours, 232 to 255 are greys from black to white. */
function shaded({ text, shade = 0 }: Cell): string {
  const safe = printableText(text);
  const grey = Math.round(Math.min(1, Math.max(0, shade)) * 20);
  return grey === 0 ? safe : `\x1b[48;5;${253 - grey}m\x1b[38;5;${grey > 9 ? 255 : 232}m${safe}\x1b[0m`;
}

/** A sentence for people, on standard error. */
export function say(sentence: string): void {
  clearStatus();
  process.stderr.write(`transformer-wasm: ${printable(sentence)}\n`);
}

/** What went wrong, and with what: one line, not a stack trace. */
export function sayError(error: unknown, name?: string): void {
  say(`${name === undefined ? '' : `${name}: `}${sentenceOf(error)}`);
}

let isShown = false;

/** Whether somebody watches, for whom {@link showStatus} shows how far the work is. */
export const isWatched = (): boolean => process.stderr.isTTY === true;

/** A line that the next one overwrites. */
export function showStatus(line: string): void {
  if (!isWatched()) return;
  isShown = true;
  process.stderr.write(`\r\x1b[K${printable(line).slice(0, (process.stderr.columns ?? 80) - 1)}`);
}

export function clearStatus(): void {
  if (!isShown) return;
  isShown = false;
  process.stderr.write('\r\x1b[K');
}

/** Asks for lines, one after the other, until the input ends. */
export const prompter = (prompt: string): Interface =>
  createInterface({ input: process.stdin, output: process.stdout, prompt });

/** Ends the program quietly when the reader of its output has gone. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
}
