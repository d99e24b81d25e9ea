/**
 * What was translated into a folder: a file of JSON lines in it, one for each document, the last of a name counts. It
 * tells what is done (the same source by the same model with the same options), and which blocks need not be made
 * again.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentKind, DocumentPart } from '../documents/document.js';
import { translateDocument } from '../documents/translate_document.js';
import { appending, isOwnFile, writeNewFile } from './journal.js';
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

interface Wanted {
  readonly key: string;
  readonly source: string;
  readonly output: string;
  readonly isInPlace?: boolean | undefined;
}

/** Each folder's file is read once. */
const open = new Map<string, Promise<Translations>>();

export class Translations {
  readonly #path: string;
  readonly #known = new Map<string, Translated>();

  private constructor(path: string) {
    this.#path = path;
  }

  static in(folder: string): Promise<Translations> {
    const known = open.get(folder) ?? Translations.#read(folder);
    open.set(folder, known);
    return known;
  }

  static async #read(folder: string): Promise<Translations> {
    const translations = new Translations(join(folder, '.translations.jsonl'));
    if (!(await isOwnFile(translations.#path))) await rm(translations.#path, { force: true });
    const lines = await readFile(translations.#path, 'utf8').catch(() => '');
    for (const line of lines.split('\n')) translations.#add(line);
    return translations;
  }

  get(file: string): Translated | undefined {
    return this.#known.get(file);
  }

  /** Whether a file was translated as it would be now; in its place it is then what was written. */
  areDone(file: string, { key, source, output, isInPlace = false }: Wanted): boolean {
    const one = this.#known.get(file);
    const isSame = one?.key === key && hashOf(source) === (isInPlace ? one.target : one.source);
    return isSame && existsSync(output);
  }

  async add(one: Translated): Promise<void> {
    this.#known.set(one.file, one);
    if (!(await isOwnFile(this.#path))) await writeNewFile(this.#path, '');
    await appendFile(this.#path, `${JSON.stringify(one)}\n`, { flag: appending });
  }

  #add(line: string): void {
    try {
      const one: Partial<Translated> = JSON.parse(line);
      const arePairs = one.blocks?.every?.(
        (pair) => typeof pair?.[0] === 'string' && typeof pair[1] === 'string',
      );
      const isWhole = typeof one.file === 'string' && arePairs === true && Array.isArray(one.untranslated);
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
function keptBlocks(
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

/** The blocks of an earlier translation that stay, with what was corrected in it by hand. */
export async function knownOf(
  before: Translated,
  { output, kind }: { kind: DocumentKind; output: string },
  key: string,
): Promise<(raw: string) => string | undefined> {
  const current = await readFile(output, 'utf8').catch(() => null);
  if (current === null) return () => undefined;
  const asIs = async (texts: readonly string[]) => texts.map((text) => ({ text, sentences: [] }));
  const read =
    hashOf(current) === before.target ? null : await translateDocument(current, kind, asIs).catch(() => null);
  const blocks = read?.parts.map(({ target }) => current.slice(...target)) ?? null;
  return keptBlocks(before, blocks?.length === before.blocks.length ? blocks : null, key);
}
