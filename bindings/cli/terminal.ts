/**
 * The one way out: everything that a command prints passes here. Names, words and results come from files and models of
 * strangers, and a terminal obeys the control characters in them.
 */

import { createInterface, type Interface } from 'node:readline/promises';
import { printable, printableText } from './printable.js';

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

/** A sentence for people, on standard error. */
export function say(sentence: string): void {
  clearStatus();
  process.stderr.write(`transformer-wasm: ${printable(sentence)}\n`);
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
