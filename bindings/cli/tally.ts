/** Counts the lines of a filter that are done and that failed; in a terminal also shows the speed and the time left. */

import { fstatSync } from 'node:fs';
import { clearStatus, isWatched, say, showStatus } from './terminal.js';

export class Tally {
  readonly #begin = performance.now();
  /** Of standard input; `null` where it is no file, so that nobody knows how much is left. */
  readonly #bytes = isWatched() ? sizeOfInput() : null;
  #shown = 0;
  #empty = 0;
  #failed = 0;
  #all = 0;

  add(outcomes: readonly { readonly kind: 'empty' | 'result' | 'error' }[]): void {
    this.#all += outcomes.length;
    this.#empty += outcomes.filter(({ kind }) => kind === 'empty').length;
    this.#failed += outcomes.filter(({ kind }) => kind === 'error').length;
  }

  /** At most ten times a second. */
  show(bytes: number): void {
    const now = performance.now();
    if (!isWatched() || now - this.#shown < 100) return;
    this.#shown = now;
    const progress = { seconds: (now - this.#begin) / 1000, lines: this.#all, failed: this.#failed };
    showStatus(progressOf({ ...progress, share: this.#bytes ? bytes / this.#bytes : null }));
  }

  /** Says how many lines failed, also by the exit code. */
  end(): void {
    clearStatus();
    if (this.#failed === 0) return;
    say(`${this.#failed} of ${this.#all} lines failed`);
    process.exitCode = this.#failed === this.#all - this.#empty ? 2 : 1;
  }
}

/** `1,200 lines, 3 failed, 150 a second, 12 s left` */
export function progressOf({
  seconds,
  lines,
  failed,
  share,
}: {
  readonly seconds: number;
  readonly lines: number;
  readonly failed: number;
  /** Of the input that has been read; `null` if its size is not known. */
  readonly share: number | null;
}): string {
  const rate = lines / Math.max(seconds, 1e-3);
  const left = share === null ? null : Math.ceil(seconds * (1 / share - 1));
  return [
    `${lines.toLocaleString('en')} lines`,
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
    `${rate.toLocaleString('en', { maximumSignificantDigits: 3 })} a second`,
    ...(left === null ? [] : [`${durationOf(left)} left`]),
  ].join(', ');
}

function durationOf(seconds: number): string {
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

function sizeOfInput(): number | null {
  try {
    const input = fstatSync(process.stdin.fd);
    return input.isFile() ? input.size : null;
  } catch {
    return null;
  }
}
