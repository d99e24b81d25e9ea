/** The progress of a file's translation in a terminal: `notes.md (1 of 3) [####----]  50 %  1,200 words a second`. */

import { barWith } from './progress.js';
import { clearStatus, showStatus } from './terminal.js';

export class WordProgress {
  readonly #name: string;
  #begin = 0;
  #shown = 0;
  #total = 0;
  #done = 0;
  /** Without what an earlier run has done. */
  #made = 0;

  constructor(path: string, place: number, files: number) {
    this.#name = files > 1 ? `${path} (${place} of ${files})` : path;
  }

  begin(total: number): void {
    this.#begin = performance.now();
    this.#total = total;
    this.#show();
  }

  add(words: number, isNew: boolean): void {
    this.#done += words;
    if (isNew) this.#made += words;
    this.#show();
  }

  end(): void {
    clearStatus();
  }

  /** At most ten times a second. */
  #show(): void {
    const now = performance.now();
    if (now - this.#shown < 100) return;
    this.#shown = now;
    const seconds = (now - this.#begin) / 1000;
    const counts = { done: this.#done, made: this.#made, total: this.#total, seconds };
    showStatus(`${this.#name} ${wordLine(counts)}`);
  }
}

export function wordLine(counts: {
  readonly done: number;
  readonly made: number;
  readonly total: number;
  readonly seconds: number;
}): string {
  const { done, made, total, seconds } = counts;
  const bar = barWith(total > 0 ? Math.min(1, done / total) : 1);
  if (made === 0) return bar;
  const rate = (made / Math.max(seconds, 1e-3)).toLocaleString('en', { maximumSignificantDigits: 3 });
  return `${bar}  ${rate} words a second`;
}
