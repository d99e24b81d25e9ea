/** The files that `translate` takes, and where their translations go. */

import { existsSync, statSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type DocumentKind, documentKinds, kindOf } from '../documents/document.js';
import { isSet, oneOf, text, UsageError, type ValuesOf } from './flags.js';
import { reasonOf } from './system_error.js';

export interface DocumentFile {
  readonly path: string;
  /** `undefined`: not known. */
  readonly kind: DocumentKind | undefined;
  /** `null`: standard output. */
  readonly output: string | null;
}

/** The flags of `translate` for files. */
export const fileFlags = {
  'to-dir': text('DIR', 'write a translation of each FILE into DIR, under the same name'),
  force: isSet('make translations again that are there'),
  format: oneOf(documentKinds, 'read each FILE as that, whatever its extension'),
  wrapped: isSet('the lines of plain text are wrapped: an empty line ends a paragraph'),
};

type FileValues = ValuesOf<typeof fileFlags>;

/** Whether arguments are files and not texts: if one of them names a file that is there, or ends as documents do. */
export function areFiles(positionals: readonly string[], values: FileValues): boolean {
  if (values['to-dir'] !== undefined || values.format !== undefined) return true;
  const isThere = (name: string) => /[./\\]/.test(name) && existsSync(name) && statSync(name).isFile();
  return positionals.some((name) => isThere(name) || (kindOf(name) !== undefined && !/\s/.test(name)));
}

/** @throws UsageError where two files would have the same output. */
export function documentFiles(
  paths: readonly string[],
  { format, 'to-dir': folder }: FileValues,
): DocumentFile[] {
  const files = paths.map((path) => ({
    path,
    kind: format ?? kindOf(path),
    output: folder === undefined ? null : join(folder, basename(path)),
  }));
  const outputs = new Map<string | null, string>();
  for (const { path, output } of files) {
    const other = outputs.get(output);
    if (output !== null && other !== undefined)
      throw new UsageError(`${other} and ${path} would both be written to ${output}`);
    outputs.set(output, path);
  }
  return files;
}

/** @throws Error with the reason why a file cannot be translated. */
export async function readDocument({ path, kind }: DocumentFile): Promise<string> {
  if (kind === undefined)
    throw new Error(
      'its extension is not one of .txt, .md, .html, .srt and .vtt; --format says how to read it',
    );
  const status = await stat(path).catch((error: Error) => {
    throw new Error(reasonOf(error));
  });
  // To read a pipe would wait for its writer, perhaps for ever.
  if (!status.isFile()) throw new Error('is not a file; a pipe is read from standard input: translate -');
  const bytes = await readFile(path).catch((error: Error) => {
    throw new Error(reasonOf(error));
  });
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Said below.
  }
  throw new Error('is not text in UTF-8');
}

/** Whether a file's complete translation exists, which gets its name at the end, and is not older than the file. */
export async function isComplete({ path, output }: DocumentFile): Promise<boolean> {
  if (output === null) return false;
  const [source, made] = await Promise.all([stat(path).catch(() => null), stat(output).catch(() => null)]);
  return source !== null && made !== null && made.mtimeMs >= source.mtimeMs;
}

/** @throws Error where the translation would take the place of the file. */
export async function checkOutput({ path, output }: DocumentFile): Promise<void> {
  if (output === null) return;
  const real = (name: string) => realpath(name).catch(() => resolve(name));
  if ((await real(path)) === (await real(output)))
    throw new Error('its translation would take its place; choose another --to-dir');
}
