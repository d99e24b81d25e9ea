/**
 * What was translated of a file so far, beside its output: an interrupted run goes on from there. A line for each text; one
 * that was not written to its end does not count.
 */

import { createHash } from 'node:crypto';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';

export class Journal<Entry> {
  readonly #path: string;
  readonly #known = new Map<string, Entry>();

  private constructor(path: string) {
    this.#path = path;
  }

  /** @param key what the entries depend on: those of another key are dropped */
  static async open<Entry>(path: string, key: unknown): Promise<Journal<Entry>> {
    const journal = new Journal<Entry>(path);
    const head = hashOf(JSON.stringify(key));
    const [first, ...lines] = (await readFile(path, 'utf8').catch(() => '')).split('\n');
    if (first !== head) await writeFile(path, `${head}\n`);
    else for (const line of lines) journal.#read(line);
    return journal;
  }

  get(text: string): Entry | undefined {
    return this.#known.get(hashOf(text));
  }

  async add(entries: readonly (readonly [text: string, entry: Entry])[]): Promise<void> {
    const lines = entries.map(([text, entry]) => `${JSON.stringify([hashOf(text), entry])}\n`);
    for (const [text, entry] of entries) this.#known.set(hashOf(text), entry);
    await appendFile(this.#path, lines.join(''));
  }

  /** When the output is complete. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  #read(line: string): void {
    try {
      const [hash, entry] = JSON.parse(line);
      this.#known.set(hash, entry);
    } catch {
      // The end of a run that was interrupted.
    }
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');
