/** The files that `translate` takes, and where their translations go. */

import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { type DocumentKind, documentKinds, kindOf } from '../documents/document.js';
import { decodeStrictly } from '../values/utf8.js';
import { isSet, oneOf, text, UsageError, type ValuesOf } from './flags.js';
import { reasonOf } from './system_error.js';
import { languageTag } from './wording.js';

export interface DocumentFile {
  readonly path: string;
  /** `undefined`: not known. */
  readonly kind: DocumentKind | undefined;
  /** `null`: standard output. */
  readonly output: string | null;
  /** Its name in the output folder. */
  readonly name: string;
}

/** The flags of `translate` for files. */
export const fileFlags = {
  'to-dir': text(
    'DIR',
    'write a translation of each FILE into DIR, under the same name; of a folder those in it',
  ),
  'in-place': isSet('write each translation in the place of its FILE'),
  force: isSet('make translations again that are there'),
  format: oneOf(documentKinds, 'read each FILE, or - for standard input, as that, whatever its extension'),
  attributes: isSet('of HTML also the alt, title, placeholder and aria-label attributes'),
  lang: languageTag('the language that HTML documents are set to be in'),
  memory: text(
    'FILE',
    'a translation memory, JSON lines or .tmx: texts in it are not translated again, and new ones are added',
  ),
  wrapped: isSet('the lines of plain text are wrapped: an empty line ends a paragraph'),
};

type FileValues = ValuesOf<typeof fileFlags>;

/** Whether arguments are files and not texts: if one of them names a file that is there, or ends as documents do. */
export function areFiles(positionals: readonly string[], values: FileValues): boolean {
  if (values['to-dir'] !== undefined || values['in-place'] || values.format !== undefined) return true;
  const isThere = (name: string) => /[./\\]/.test(name) && existsSync(name);
  return positionals.some((name) => isThere(name) || (kindOf(name) !== undefined && !/\s/.test(name)));
}

/** The documents in a folder, those in hidden folders, packages and the output apart; none of a file. */
async function filesIn(folder: string, output: string | undefined): Promise<string[]> {
  const isOutput = (path: string) => output !== undefined && resolve(path) === resolve(output);
  const found: string[] = [];
  for (const open = [folder]; ; ) {
    const next = open.shift();
    if (next === undefined) return found.sort();
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(next, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory() && !isOutput(path)) open.push(path);
      else if (entry.isFile() && kindOf(path) !== undefined) found.push(path);
    }
  }
}

/** @throws UsageError where two files would have the same output. */
export async function documentFiles(paths: readonly string[], values: FileValues): Promise<DocumentFile[]> {
  const { format, 'to-dir': folder, 'in-place': isInPlace } = values;
  if (folder !== undefined && isInPlace) throw new UsageError('--to-dir and --in-place exclude each other');
  const files: DocumentFile[] = [];
  for (const path of paths) {
    if (path === '-' && (folder !== undefined || isInPlace || format === undefined))
      throw new UsageError('a document from standard input needs --format, and goes to standard output');
    const inside = await filesIn(path, folder);
    const names =
      inside.length > 0 ? inside.map((one) => [one, relative(path, one)]) : [[path, basename(path)]];
    for (const [path = '', name = ''] of names) {
      const output = folder !== undefined ? join(folder, name) : isInPlace ? path : null;
      files.push({ path, name: isInPlace ? basename(path) : name, kind: format ?? kindOf(path), output });
    }
  }
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
      'its extension is not one of .txt, .md, .html, .srt, .vtt and those of files of texts; --format says how to read it',
    );
  if (path !== '-') {
    const status = await stat(path).catch((error: Error) => {
      throw new Error(reasonOf(error));
    });
    // To read a pipe would wait for its writer, perhaps for ever.
    if (!status.isFile() && !status.isDirectory())
      throw new Error('is not a file; a pipe is read from standard input: translate -');
  }
  const bytes = await (path === '-' ? inputBytes() : readFile(path)).catch((error: Error) => {
    throw new Error(reasonOf(error));
  });
  try {
    const text = decodeStrictly(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Said below.
  }
  throw new Error('is not text in UTF-8');
}

async function inputBytes(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** @throws Error where the translation would take the place of the file. */
export async function checkOutput({ path, output }: DocumentFile): Promise<void> {
  if (output === null) return;
  const real = (name: string) => realpath(name).catch(() => resolve(name));
  if ((await real(path)) === (await real(output)))
    throw new Error('its translation would take its place; choose another --to-dir');
}
