/**
 * What was translated into a folder: a file of JSON lines in it, one for each document, the last of a name counts. It tells
 * what is done (the same source by the same model with the same options), and which blocks need not be made again.
 */

import { createHash } from 'node:crypto';
import { appendFile, lstat, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentPart } from '../documents/document.js';
import type { Untranslated } from './text_translator.js';

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

export interface Translated {
  readonly file: string;
  /** A hash of the model and the options. */
  readonly key: string;
  /** Hashes of the whole texts. */
  readonly source: string;
  readonly target: string;
  /** The blocks as they are written in both, in order. */
  readonly blocks: readonly (readonly [source: string, target: string])[];
  readonly untranslated: readonly Untranslated[];
}

/** Both sides of each block. */
export const blocksOf = (source: string, target: string, parts: readonly DocumentPart[]) =>
  parts.map((part): [string, string] => [source.slice(...part.source), target.slice(...part.target)]);

/** Removes what another put in the place of a file of ours: a link would lead out of the folder. */
export async function withoutLink(path: string): Promise<string> {
  if ((await lstat(path).catch(() => null))?.isSymbolicLink()) await rm(path);
  return path;
}

export class Translations {
  readonly #path: string;
  readonly #known = new Map<string, Translated>();

  private constructor(path: string) {
    this.#path = path;
  }

  static async in(folder: string): Promise<Translations> {
    const translations = new Translations(await withoutLink(join(folder, '.translations.jsonl')));
    const lines = await readFile(translations.#path, 'utf8').catch(() => '');
    for (const line of lines.split('\n')) translations.#read(line);
    return translations;
  }

  get(file: string): Translated | undefined {
    return this.#known.get(file);
  }

  async add(one: Translated): Promise<void> {
    this.#known.set(one.file, one);
    await appendFile(this.#path, `${JSON.stringify(one)}\n`);
  }

  #read(line: string): void {
    try {
      const one: Partial<Translated> = JSON.parse(line);
      const isWhole =
        typeof one.file === 'string' && Array.isArray(one.blocks) && Array.isArray(one.untranslated);
      if (isWhole) this.#known.set(one.file as string, one as Translated);
    } catch {
      // The end of a run that was interrupted.
    }
  }
}

/**
 * The translations of blocks that stay: those that were corrected by hand, and all others if nothing but the source has
 * changed.
 *
 * @param current the blocks of the translation as it is now; null if it has others than it was written with
 */
export function keptBlocks(
  { blocks, key }: Translated,
  current: readonly string[] | null,
  wanted: string,
): (raw: string) => string | undefined {
  const kept = new Map<string, string>();
  for (const [i, [source, target]] of blocks.entries()) {
    const now = current?.[i] ?? target;
    if (now !== target || key === wanted) kept.set(source, now);
  }
  return (raw) => kept.get(raw);
}
