/**
 * What was translated of a file so far, beside its output: an interrupted run goes on from there. A line for each text,
 * behind its hash; one that is damaged, or was not written to its end, does not count.
 */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { appendFile, lstat, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

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
    const text = (await isOwnFile(path)) ? await readFile(path, 'utf8').catch(() => '') : '';
    const [first, ...lines] = text.split('\n');
    if (first !== head) await writeNewFile(path, `${head}\n`);
    else for (const line of lines) journal.#read(line);
    return journal;
  }

  get(text: string): Entry | undefined {
    return this.#known.get(hashOf(text));
  }

  async add(entries: readonly (readonly [text: string, entry: Entry])[]): Promise<void> {
    const lines = entries.map(([text, entry]) => {
      const line = JSON.stringify([hashOf(text), entry]);
      return `${hashOf(line)} ${line}\n`;
    });
    for (const [text, entry] of entries) this.#known.set(hashOf(text), entry);
    await appendFile(this.#path, lines.join(''), { flag: appending });
  }

  /** When the output is complete. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  #read(line: string): void {
    const space = line.indexOf(' ');
    const content = line.slice(space + 1);
    if (line.slice(0, space) !== hashOf(content)) return;
    const [hash, entry]: [string, Entry] = JSON.parse(content);
    this.#known.set(hash, entry);
  }
}

// A folder may come from a stranger, with links that lead out of it: none is followed. Windows has no O_NOFOLLOW.
export const appending = (constants.O_WRONLY |
  constants.O_APPEND |
  (constants.O_NOFOLLOW ?? 0)) as unknown as string;

export const isOwnFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (status) => status.isFile() && status.nlink === 1,
    () => false,
  );

/** Writes a file in place of whatever has its name, a link too. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, text, { flag: 'wx' });
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/** A hidden file beside an output that is not complete yet. */
const besides = (output: string, what: string) => join(dirname(output), `.${basename(output)}.${what}`);

/** What was translated of a file so far. */
export const journalBeside = <Entry>(output: string, key: unknown): Promise<Journal<Entry>> =>
  Journal.open<Entry>(besides(output, 'journal'), key);

/** Under its name when it is complete. */
export async function writeWhole(output: string, text: string): Promise<void> {
  const part = besides(output, 'part');
  await writeNewFile(part, text);
  await rename(part, output);
}
